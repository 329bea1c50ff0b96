package com.woolandthorn.pattern;

import com.acme.load.Load;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Random;

/** Knits the patterns of a book on paper: reads the instructions, follows the stitches, and estimates the yarn. */
public final class PatternBook {
    enum Kind {
        KNIT(1, 1, 17), PURL(1, 1, 18), TOGETHER(2, 1, 21), OVER(0, 1, 9), SLIP(1, 1, 4);

        final int taken, made, yarnMillimetres;

        Kind(int taken, int made, int yarnMillimetres) {
            this.taken = taken;
            this.made = made;
            this.yarnMillimetres = yarnMillimetres;
        }
    }

    static final class Step {
        final Kind kind;
        final int times;

        Step(Kind kind, int times) {
            this.kind = kind;
            this.times = times;
        }
    }

    /** The steps of an instruction such as "k3 p2 yo k2tog". */
    static final class Steps implements Iterator<Step> {
        private String rest; // [old]
        // [new] private final String text; private int at;

        Steps(String instruction) {
            rest = instruction; // [old]
            // [new] text = instruction;
        }

        @Override
        public boolean hasNext() {
            return !rest.isEmpty(); // [old]
            // [new] return at < text.length();
        }

        @Override
        public Step next() {
            if (!hasNext())
                throw new NoSuchElementException();
            int end = rest.indexOf(' '); // [old]
            String word = end < 0 ? rest : rest.substring(0, end); // [old]
            rest = end < 0 ? "" : rest.substring(end + 1); // [call] [edit]
            // [new] int end = text.indexOf(' ', at);
            // [new] String word = end < 0 ? text.substring(at) : text.substring(at, end);
            // [new] at = end < 0 ? text.length() : end + 1;
            if (word.equals("yo"))
                return new Step(Kind.OVER, 1);
            if (word.endsWith("tog"))
                return new Step(Kind.TOGETHER, 1);
            Kind kind = word.charAt(0) == 'k' ? Kind.KNIT : word.charAt(0) == 'p' ? Kind.PURL : Kind.SLIP;
            return new Step(kind, Integer.parseInt(word, 1, word.length(), 10));
        }
    }

    /** The stitches on the needle; each has the tension with which it was made. */
    static final class Needle {
        private double[] left, right;
        private int taken, made;
        long yarn;

        Needle(int stitches) {
            left = new double[stitches * 2];
            right = new double[stitches * 2];
            java.util.Arrays.fill(left, 1);
        }

        void work(Step step) {
            for (int i = 0; i < step.times; i++) {
                double tension = 0.5;
                for (int j = 0; j < step.kind.taken; j++)
                    tension += 0.5 * left[taken++ % left.length];
                for (int back = 1; back <= 12; back++)
                    tension += (right[Math.floorMod(made - back, right.length)] - tension) / (6 * back);
                right[made++ % right.length] = tension;
                yarn += (long) (step.kind.yarnMillimetres * (1.5 - Math.sqrt(tension) / 2) * 1000);
            }
        }

        void turn() {
            double[] full = right;
            right = left;
            left = full;
            taken = made = 0;
        }
    }

    static String invent(Random random, int steps) {
        String[] words = {"yo k2tog", "k%d", "k%d", "p%d", "sl%d", "p%d"};
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < steps; i++)
            text.append(String.format(words[random.nextInt(words.length)].replace("sl", "s"), 1 + random.nextInt(3)))
                    .append(i + 1 < steps ? " " : "");
        return text.toString();
    }

    static long knit(String[] chart, int stitches) {
        Needle needle = new Needle(stitches);
        for (String row : chart) {
            for (Iterator<Step> steps = new Steps(row); steps.hasNext();)
                needle.work(steps.next());
            needle.turn();
        }
        return needle.yarn;
    }

    public static void main(String[] args) {
        Random random = new Random(87);
        String[] shawl = new String[24];
        for (int row = 0; row < shawl.length; row++)
            shawl[row] = invent(random, 420 + 10 * row);
        Load.here(() -> Load.kept = knit(shawl, 1200));
    }
}
