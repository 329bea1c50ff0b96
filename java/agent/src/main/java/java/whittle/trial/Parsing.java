package java.whittle.trial;

/** Parses numbers. The exception for a text that is no number has no stack. `valueOf` of a text makes a box of the parsed number. */
public final class Parsing {
    private Parsing() {
    }

    /** Instead of `Integer.parseInt`. */
    public static int parseInt(String text, int place) {
        Stacks.leaveOut(NumberFormatException.class, place);
        try {
            return Integer.parseInt(text);
        } finally {
            Stacks.end();
        }
    }

    /** Instead of `Integer.valueOf`. */
    public static Integer integer(String text, int place) {
        return Integer.valueOf(parseInt(text, place));
    }

    /** Instead of `Long.parseLong`. */
    public static long parseLong(String text, int place) {
        Stacks.leaveOut(NumberFormatException.class, place);
        try {
            return Long.parseLong(text);
        } finally {
            Stacks.end();
        }
    }

    /** Instead of `Long.valueOf`. */
    public static Long ofLong(String text, int place) {
        return Long.valueOf(parseLong(text, place));
    }

    /** Instead of `Double.parseDouble`. */
    public static double parseDouble(String text, int place) {
        Stacks.leaveOut(NumberFormatException.class, place);
        try {
            return Double.parseDouble(text);
        } finally {
            Stacks.end();
        }
    }

    /** Instead of `Double.valueOf`. */
    public static Double ofDouble(String text, int place) {
        return Double.valueOf(parseDouble(text, place));
    }
}
