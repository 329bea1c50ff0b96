package whittle.tests.trial;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.InvocationTargetException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Formattable;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.whittle.trial.Places;
import org.junit.jupiter.api.Test;

/** Formats that need no Formatter. */
final class FormatTest {
    private static final String[] CONVERSIONS = {"%s", "%8s", "%-8s", "%c", "%3c", "%d", "%5d", "%-5d", "%05d", "%x", "%02x", "%08X", "%f",
        "%.2f", "%7.1f", "%-7.3f", "%09.2f", "%.0f", "%,d", "%+d", "%5$s", "%e", "%b", "%tY", "%-s", "%05s", "%.3s", "%2", "%", "%n", "%%", "%5%",
        "%-05d", "% d", "%(d", "%g", "%.12f", "%1.1d", "%h", "%<s"};
    private static final Formattable OWN = (formatter, flags, width, precision) -> formatter.format("own");
    private static final Object[] VALUES = {null, "text", "", 'c', 0, 7, -42, Integer.MIN_VALUE, 12_345_678_901L, (short) -3, (byte) 200, 1.0,
        -1.005, 0.125, 2.675, -0.0, -0.004, 1e10, 1e-10, 123456.789f, 0.1f, Double.NaN, Double.NEGATIVE_INFINITY, Double.MAX_VALUE, Double.MIN_VALUE,
        BigInteger.TEN, new BigDecimal("1.25"), true, OWN, List.of(1), 999.9995, 0.5, 1.5, 2.5, 1.0E23};

    /** The text, or what was thrown. */
    private static String result(Tried.Loaded changed, Object... arguments) throws Exception {
        try {
            return String.valueOf(changed.run(arguments));
        } catch (InvocationTargetException thrown) {
            return thrown.getCause().getClass() + ": " + thrown.getCause().getMessage();
        }
    }

    private static String before(String format, Object... arguments) {
        try {
            return String.format(format, arguments);
        } catch (RuntimeException thrown) {
            return thrown.getClass() + ": " + thrown.getMessage();
        }
    }

    @Test
    void allTextsAreTheSame() throws Exception {
        Tried tried = new Tried("plain-format", SharedPrograms.class, "format", "format");
        Tried.Loaded formatted = new Tried("plain-format", SharedPrograms.class, "formatted", "formatted").loaded();
        Tried.Loaded changed = tried.loaded();
        Locale usual = Locale.getDefault();
        try {
            for (Locale locale : new Locale[] {Locale.US, Locale.GERMANY, Locale.forLanguageTag("ar-EG-u-nu-arab")}) {
                Locale.setDefault(locale);
                for (String conversion : CONVERSIONS) {
                    for (Object value : VALUES) {
                        for (String format : new String[] {conversion, "a" + conversion + "b", "%s" + conversion + "%n"}) {
                            Object[] arguments = {value, value};
                            String expected = before(format, arguments);
                            assertEquals(expected, result(changed, format, arguments), format + " of " + value);
                            assertEquals(expected, result(formatted, format, arguments), format + " of " + value);
                        }
                    }
                }
            }
        } finally {
            Locale.setDefault(usual);
        }
        assertTrue(tried.count() > 500, "only " + tried.count());
    }

    @Test
    void randomNumbersAreRoundedInTheSameWay() throws Exception {
        Tried.Loaded changed = new Tried("plain-format", SharedPrograms.class, "formatOf", "format").loaded();
        Random random = new Random(11);
        List<String> formats = new ArrayList<>(List.of("%.2f", "%8.3f", "%.1f", "%.0f", "%f"));
        for (int round = 0; round < 100_000; round++) {
            double value = round % 2 == 0 ? Double.longBitsToDouble(random.nextLong()) : (random.nextInt(2_000_000) - 1_000_000) / 1000.0;
            value = Math.abs(value) > 1e40 ? random.nextDouble() : value;
            String format = formats.get(round % formats.size());
            Object[] arguments = {value};
            String expected = String.format(Locale.ROOT, format, arguments);
            assertEquals(expected, changed.run(Locale.ROOT, format, arguments), format + " of " + value);
        }
    }

    @Test
    void wrongCallsThrowTheSame() throws Exception {
        Tried tried = new Tried("plain-format", SharedPrograms.class, "format", "format");
        Tried.Loaded changed = tried.loaded();
        for (Object[] arguments : Arrays.asList(new Object[0], null, new Object[] {1, 2, 3})) {
            assertEquals(before("%s %d", arguments), result(changed, "%s %d", arguments));
        }
        assertEquals(before(null, 1), result(changed, null, new Object[] {1}));
        assertEquals("the format, its language or its arguments need a Formatter", Places.refused(tried.number));
    }
}
