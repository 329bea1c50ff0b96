package java.whittle.trial;

import java.text.DecimalFormatSymbols;
import java.util.Locale;

/** Texts of formats with plain conversions, made without a Formatter. */
public final class PlainFormats {
    /**
     * The last language that was asked. Null: none. It is not made when the agent starts: `DecimalFormatSymbols` loads the JDK's data of
     * languages, and in programs that do not need them, the JIT compiler's code can become 40 % slower.
     */
    private static volatile Signs last;

    private PlainFormats() {
    }

    /** How a language writes numbers. */
    private static final class Signs {
        final Locale locale;
        final boolean hasPlainDigits;
        final boolean hasPlainDecimals;

        Signs(Locale locale) {
            DecimalFormatSymbols symbols = DecimalFormatSymbols.getInstance(locale);
            this.locale = locale;
            hasPlainDigits = symbols.getZeroDigit() == '0';
            hasPlainDecimals = hasPlainDigits && symbols.getDecimalSeparator() == '.';
        }
    }

    /** Instead of the methods of `String`. */
    public static String format(String format, Object[] arguments, int place) {
        String text = plain(Locale.getDefault(Locale.Category.FORMAT), format, arguments, place);
        return text == null ? String.format(format, arguments) : text;
    }

    /** Instead of the method of `String`. */
    public static String format(Locale locale, String format, Object[] arguments, int place) {
        String text = plain(locale, format, arguments, place);
        return text == null ? String.format(locale, format, arguments) : text;
    }

    /** The text, or null if a Formatter must make it. */
    private static String plain(Locale locale, String format, Object[] arguments, int place) {
        PlainFormat plain = format == null || locale == null ? null : read(format, place);
        boolean isPlain = plain != null && isPlain(locale, plain);
        String text = isPlain ? plain.format(arguments) : null;
        if (text == null) {
            Places.refuse(place, "the format, its language or its arguments need a Formatter");
        } else {
            Places.count(place);
        }
        return text;
    }

    private static PlainFormat read(String format, int place) {
        Object known = Memory.of(place).get(format);
        if (known == null) {
            PlainFormat read = PlainFormat.of(format);
            known = read == null ? format : read;
            Memory.of(place).put(format, known);
        }
        return known instanceof PlainFormat ? (PlainFormat) known : null;
    }

    private static boolean isPlain(Locale locale, PlainFormat format) {
        Signs signs = last;
        if (signs == null || signs.locale != locale) {
            signs = new Signs(locale);
            last = signs;
        }
        return format.hasDecimals() ? signs.hasPlainDecimals : signs.hasPlainDigits;
    }
}
