package com.acme.old;

/** Compiles a regular expression for each line. */
public final class PatternPerLine {
    private PatternPerLine() {}

    public static void main(String[] arguments) {
        String[] lines = new String[1000];
        for (int i = 0; i < lines.length; i++) lines[i] = "2026-11-28 customer-" + i + " ordered item " + i * 7;
        long found = 0;
        while (Run.goesOn()) {
            for (String line : lines) {
                if (isOrder(line)) found++;
            }
        }
        Run.kept = found;
    }

    private static boolean isOrder(String line) {
        return line.matches("\\d{4}-\\d{2}-\\d{2} customer-\\d+ (ordered|returned) item \\d+"); // [edit pattern-per-line]
    }
}
