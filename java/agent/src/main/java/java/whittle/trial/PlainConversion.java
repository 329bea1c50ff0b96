package java.whittle.trial;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Formattable;
import java.util.Locale;

/** A conversion of a format text that needs no Formatter: `%s`, `%c`, `%-8s`, `%d`, `%05d`, `%02x`, `%.2f`, `%7.2f`. */
final class PlainConversion {
    private static final String LETTERS = "scdxXf";
    /** Longer numbers in a format are not read. */
    private static final int MAX_DIGITS = 3;

    private final char letter;
    private final boolean isLeft;
    private final boolean hasZeros;
    private final int width;
    /** -1: none. */
    private final int precision;

    private PlainConversion(char letter, boolean isLeft, boolean hasZeros, int width, int precision) {
        this.letter = letter;
        this.isLeft = isLeft;
        this.hasZeros = hasZeros;
        this.width = width;
        this.precision = precision;
    }

    /** Reads the text between the percent sign and the letter. Null: it has something else, or it is wrong. */
    static PlainConversion of(String options, char letter) {
        boolean isLeft = options.startsWith("-");
        String rest = isLeft ? options.substring(1) : options;
        boolean hasZeros = rest.startsWith("0");
        int dot = rest.indexOf('.');
        String width = rest.substring(hasZeros ? 1 : 0, dot < 0 ? rest.length() : dot);
        String precision = dot < 0 ? "" : rest.substring(dot + 1);
        boolean isText = letter == 's' || letter == 'c';
        boolean isWrong = LETTERS.indexOf(letter) < 0 || !isNumber(width) || !isNumber(precision)
            || (isLeft || hasZeros) && width.isEmpty() || hasZeros && (isLeft || isText)
            || dot >= 0 && (letter != 'f' || precision.isEmpty());
        if (isWrong) {
            return null;
        }
        return new PlainConversion(letter, isLeft, hasZeros, width.isEmpty() ? 0 : Integer.parseInt(width), digits(precision, letter));
    }

    private static int digits(String precision, char letter) {
        if (!precision.isEmpty()) {
            return Integer.parseInt(precision);
        }
        return letter == 'f' ? 6 : -1;
    }

    private static boolean isNumber(String digits) {
        return digits.length() <= MAX_DIGITS && digits.chars().allMatch(digit -> digit >= '0' && digit <= '9');
    }

    /** Whether the language decides which sign is before the decimals. */
    boolean hasDecimals() {
        return letter == 'f';
    }

    /** Whether this class makes the same text of the argument as a Formatter. */
    boolean isFor(Object argument) {
        switch (letter) {
            case 's':
                return !(argument instanceof Formattable);
            case 'c':
                return argument instanceof Character;
            case 'd':
                return isInteger(argument) || argument != null && argument.getClass() == BigInteger.class;
            case 'f':
                return isDecimal(argument);
            default:
                return isInteger(argument);
        }
    }

    private static boolean isInteger(Object argument) {
        return argument instanceof Integer || argument instanceof Long || argument instanceof Short || argument instanceof Byte;
    }

    private static boolean isDecimal(Object argument) {
        boolean isKnown = argument instanceof Double || argument instanceof Float;
        return isKnown && !Double.isNaN(((Number) argument).doubleValue()) && !Double.isInfinite(((Number) argument).doubleValue());
    }

    /** Appends the text of the argument. */
    void append(StringBuilder text, Object argument) {
        String shown = shown(argument);
        int missing = width - shown.length();
        int sign = hasZeros && shown.startsWith("-") ? 1 : 0;
        text.append(shown, 0, sign);
        for (; !isLeft && missing > 0; missing--) {
            text.append(hasZeros ? '0' : ' ');
        }
        text.append(shown, sign, shown.length());
        for (; missing > 0; missing--) {
            text.append(' ');
        }
    }

    private String shown(Object argument) {
        switch (letter) {
            case 'x':
                return hex(argument);
            case 'X':
                return hex(argument).toUpperCase(Locale.ROOT);
            case 'f':
                return decimals(((Number) argument).doubleValue());
            default:
                // The method `toString` of an argument can return null.
                return String.valueOf((Object) String.valueOf(argument));
        }
    }

    private static String hex(Object argument) {
        if (argument instanceof Long) {
            return Long.toHexString((Long) argument);
        }
        int value = ((Number) argument).intValue();
        int mask = argument instanceof Byte ? 0xFF : argument instanceof Short ? 0xFFFF : -1;
        return Integer.toHexString(value & mask);
    }

    /** A Formatter rounds the decimal digits that `Double.toString` shows. */
    private String decimals(double value) {
        String digits = Double.toString(Math.abs(value));
        String rounded = new BigDecimal(digits).setScale(precision, RoundingMode.HALF_UP).toPlainString();
        return Double.compare(value, 0.0) < 0 ? "-" + rounded : rounded;
    }
}
