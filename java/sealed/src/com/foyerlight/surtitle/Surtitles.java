package com.foyerlight.surtitle;

import com.acme.load.Load;

import java.text.BreakIterator;
import java.util.ArrayList;
import java.util.Arrays;
// [new] import java.util.HashMap;
import java.util.List;
import java.util.Locale;
// [new] import java.util.Map;
import java.util.Random;

/** Shows the words of an opera above the stage, on displays of several widths. */
public final class Surtitles {
    private static final int GLYPH_HEIGHT = 5, LINE_HEIGHT = 10;

    interface CueListener {
        void cue(int bar, String words);
    }

    /** Letters as rows of bits, of which the lowest is at the left. */
    static final class Font {
        private final int[] widths = new int[128];
        private final int[][] rows = new int[128][GLYPH_HEIGHT];

        Font(Random random) {
            for (int letter = 32; letter < 128; letter++) {
                widths[letter] = 4 + random.nextInt(6);
                for (int row = 0; row < GLYPH_HEIGHT; row++)
                    rows[letter][row] = random.nextInt(1 << widths[letter]);
            }
        }

        int width(CharSequence text, int from, int to) {
            int width = 0;
            for (int i = from; i < to; i++)
                width += widths[text.charAt(i)];
            return width;
        }
    }

    static final class Panel implements CueListener {
        private final Font font;
        private final int width, height;
        private final long[][] dots;
        private final BreakIterator breaker = BreakIterator.getLineInstance(Locale.ENGLISH);
        // [new] private final Map<String, int[]> breaks = new HashMap<>();
        private long lit;

        Panel(Font font, int width, int height) {
            this.font = font;
            this.width = width;
            this.height = height;
            this.dots = new long[height][width / 64 + 2];
        }

        // [new] private int[] breaksOf(String words) {
        // [new]     breaker.setText(words);
        // [new]     return java.util.stream.IntStream.generate(breaker::next).takeWhile(end -> end != BreakIterator.DONE).toArray();
        // [new] }

        private List<String> wrap(String words) {
            List<String> lines = new ArrayList<>();
            int start = 0, fits = 0, used = 0;
            breaker.setText(words); // [old]
            for (int end = breaker.next(); end != BreakIterator.DONE; end = breaker.next()) { // [call] [edit]
            // [new] for (int end : breaks.computeIfAbsent(words, this::breaksOf)) {
                int part = font.width(words, fits, end);
                if (used + part > width && fits > start) {
                    lines.add(words.substring(start, fits));
                    start = fits;
                    used = 0;
                }
                used += part;
                fits = end;
            }
            lines.add(words.substring(start));
            return lines;
        }

        private int top(String words) {
            return Math.max(0, (height - wrap(words).size() * LINE_HEIGHT) / 2);
        }

        @Override
        public void cue(int bar, String words) {
            for (long[] row : dots)
                Arrays.fill(row, 0);
            int y = top(words);
            for (String line : wrap(words)) {
                int x = Math.max(0, (width - font.width(line, 0, line.length())) / 2);
                for (int i = 0; i < line.length() && y + GLYPH_HEIGHT <= height; i++)
                    x = draw(line.charAt(i), x, y);
                y += LINE_HEIGHT;
            }
            for (long[] row : dots)
                for (long word : row) lit += Long.bitCount(word);
        }

        private int draw(char letter, int x, int y) {
            int word = x >> 6, shift = x & 63;
            for (int row = 0; row < GLYPH_HEIGHT; row++) {
                long bits = font.rows[letter][row];
                dots[y + row][word] |= bits << shift;
                dots[y + row][word + 1] |= bits >>> 1 >>> (63 - shift);
            }
            return Math.min(width, x + font.widths[letter]);
        }
    }

    public static void main(String[] args) {
        String[] vocabulary = {"O", "heavens,", "the", "moon", "has", "risen;", "beloved", "father", "no", "well-nigh", "hears", "me", "(aside)", "tonight", "farewell!"};
        Load.onThreads(2, "stage", () -> {
            Random random = new Random(1871);
            List<String> libretto = new ArrayList<>();
            for (int cue = 0; cue < 240; cue++) {
                StringBuilder words = new StringBuilder();
                for (int word = 8 + random.nextInt(14); word > 0; word--)
                    words.append(vocabulary[random.nextInt(vocabulary.length)]).append(word == 1 ? "" : " ");
                libretto.add(words.toString());
            }
            Font font = new Font(random);
            List<Panel> panels = List.of(new Panel(font, 240, 48), new Panel(font, 180, 64), new Panel(font, 320, 32));
            return () -> {
                for (int bar = 0; bar < libretto.size(); bar += 4) for (CueListener panel : panels)
                        panel.cue(bar, libretto.get(bar));
                Load.kept = panels.get(0).lit * 31 + panels.get(1).lit;
            };
        });
    }
}
