package whittle.workloads;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The {@code --name value} arguments of a workload.
 *
 * <p>The input is the arguments of {@code main} and the names that the program knows. The output is typed values, with
 * defaults for missing arguments. An unknown name, a missing value or a value out of range ends the program with exit
 * status 2 and a message, because a test that misspells an argument must not run with a default.
 */
public final class Arguments {
    private static final int EXIT_STATUS_USAGE = 2;

    private final Map<String, String> values;

    private Arguments(Map<String, String> values) {
        this.values = values;
    }

    /** Reads {@code args}; {@code names} are the known arguments without their leading dashes. */
    public static Arguments read(String[] args, String... names) {
        List<String> known = Arrays.asList(names);
        Map<String, String> values = new LinkedHashMap<>();
        for (int i = 0; i < args.length; i += 2) {
            String name = args[i].startsWith("--") ? args[i].substring(2) : "";
            if (!known.contains(name)) {
                fail("unknown argument '" + args[i] + "'; known: --" + String.join(", --", known));
            }
            if (i + 1 == args.length) {
                fail(args[i] + " needs a value");
            }
            values.put(name, args[i + 1]);
        }
        return new Arguments(values);
    }

    public boolean has(String name) {
        return values.containsKey(name);
    }

    public String text(String name, String defaultValue) {
        return values.getOrDefault(name, defaultValue);
    }

    /** One of {@code choices}. The first choice is the default. */
    public String choice(String name, String... choices) {
        String value = text(name, choices[0]);
        if (Arrays.asList(choices).contains(value)) {
            return value;
        }
        throw fail("--" + name + " wants one of " + String.join(", ", choices) + ", found '" + value + "'");
    }

    /** A whole number of at least 1. */
    public long count(String name, long defaultValue) {
        return count(name, defaultValue, 1, Long.MAX_VALUE);
    }

    /** A whole number in {@code [minimum, maximum]}. */
    public long count(String name, long defaultValue, long minimum, long maximum) {
        if (!has(name)) {
            return defaultValue;
        }
        try {
            long value = Long.parseLong(values.get(name));
            if (value >= minimum && value <= maximum) {
                return value;
            }
        } catch (NumberFormatException e) {
            // Answered below, together with numbers out of range.
        }
        String upTo = maximum == Long.MAX_VALUE ? "" : " and at most " + maximum;
        throw fail("--" + name + " wants a whole number of at least " + minimum + upTo + ", found '"
                + values.get(name) + "'");
    }

    /** A finite number in {@code [minimum, maximum]}. */
    public double number(String name, double defaultValue, double minimum, double maximum) {
        if (!has(name)) {
            return defaultValue;
        }
        try {
            double value = Double.parseDouble(values.get(name));
            if (value >= minimum && value <= maximum) {
                return value;
            }
        } catch (NumberFormatException e) {
            // Answered below, together with numbers out of range.
        }
        throw fail("--" + name + " wants a number from " + minimum + " to " + maximum + ", found '"
                + values.get(name) + "'");
    }

    /** The {@code --seconds} argument in nanoseconds: how long the program works. */
    public long secondsAsNanos(double defaultSeconds) {
        double oneDaySeconds = 86_400;
        return (long) (number("seconds", defaultSeconds, 0.01, oneDaySeconds) * 1e9);
    }

    /** Ends the program, because the arguments contradict each other. */
    public static IllegalArgumentException refuse(String message) {
        return fail(message);
    }

    private static IllegalArgumentException fail(String message) {
        System.err.println(message);
        System.exit(EXIT_STATUS_USAGE);
        return new IllegalArgumentException(message);
    }
}
