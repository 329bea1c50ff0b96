package whittle.workloads;

import java.util.Locale;

/** The lines that workloads print. They are the same on every machine, in any locale. */
public final class Lines {
    private Lines() {}

    public static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    public static void print(String format, Object... values) {
        System.out.println(format(format, values));
    }
}
