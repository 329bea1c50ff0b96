package io.initech.templates;

import com.acme.load.Load;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Replaces "{name}" in form letters. */
public final class Placeholders {
    /** Cuts a letter into pieces of text and names, front to back. */
    static final class Cutter {
        private String rest;
        private int position;

        Cutter(String letter) {
            rest = letter;
        }

        boolean hasNext() {
            return position < rest.length();
        }

        String next() {
            boolean isName = rest.charAt(position) == '{';
            int end = rest.indexOf(isName ? '}' : '{', position + 1);
            int cut = end < 0 ? rest.length() : isName ? end + 1 : end;
            String piece = rest.substring(position, cut);
            rest = rest.substring(cut); // [call] [edit]
            // [new] position = cut;
            return piece;
        }
    }

    static List<String> pieces(String letter) {
        List<String> pieces = new ArrayList<>();
        for (Cutter cutter = new Cutter(letter); cutter.hasNext(); ) pieces.add(cutter.next());
        return pieces;
    }

    static String fill(String letter, Map<String, String> values) {
        StringBuilder filled = new StringBuilder();
        for (String piece : pieces(letter)) {
            boolean isName = piece.startsWith("{");
            filled.append(isName ? values.getOrDefault(piece.substring(1, piece.length() - 1), "?") : piece);
        }
        return filled.toString();
    }

    public static void main(String[] arguments) {
        StringBuilder letter = new StringBuilder();
        for (int i = 0; i < 1200; i++) letter.append("Dear {name}, your order {order} of {date} is on its way. ");
        String text = letter.toString();
        Map<String, String> values = Map.of("name", "Ms Example", "order", "4711", "date", "today");
        Load.onThreads(2, "letters", () -> () -> Load.kept = fill(text, values));
    }
}
