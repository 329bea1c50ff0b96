package java.whittle.trial;

import java.util.ArrayList;
import java.util.List;

/** A format text that needs no Formatter, because it has only plain conversions. It is read once, and then used for each call. */
final class PlainFormat {
    private static final String OPTIONS = "-.0123456789";

    private final List<String> texts = new ArrayList<>();
    /** Each one is between two texts. */
    private final List<PlainConversion> conversions = new ArrayList<>();

    private PlainFormat() {
    }

    /** Null: the text has other conversions, or it is wrong. */
    static PlainFormat of(String format) {
        PlainFormat plain = new PlainFormat();
        return plain.isRead(format) ? plain : null;
    }

    private boolean isRead(String format) {
        StringBuilder text = new StringBuilder();
        int at = 0;
        while (at < format.length()) {
            if (format.charAt(at) != '%') {
                text.append(format.charAt(at++));
                continue;
            }
            int end = optionsEnd(format, at + 1);
            if (end == format.length() || !isAdded(text, format.substring(at + 1, end), format.charAt(end))) {
                return false;
            }
            at = end + 1;
        }
        texts.add(text.toString());
        return true;
    }

    private static int optionsEnd(String format, int from) {
        int at = from;
        while (at < format.length() && OPTIONS.indexOf(format.charAt(at)) >= 0) {
            at++;
        }
        return at;
    }

    private boolean isAdded(StringBuilder text, String options, char letter) {
        if (letter == '%' || letter == 'n') {
            text.append(letter == '%' ? "%" : System.lineSeparator());
            return options.isEmpty();
        }
        PlainConversion conversion = PlainConversion.of(options, letter);
        texts.add(text.toString());
        text.setLength(0);
        conversions.add(conversion);
        return conversion != null;
    }

    /** Whether the language decides which sign is before decimals. */
    boolean hasDecimals() {
        return conversions.stream().anyMatch(PlainConversion::hasDecimals);
    }

    /** The text, or null if a Formatter must make it, because an argument is missing or needs it. */
    String format(Object... arguments) {
        if (arguments == null || arguments.length < conversions.size()) {
            return null;
        }
        for (int index = 0; index < conversions.size(); index++) {
            if (!conversions.get(index).isFor(arguments[index])) {
                return null;
            }
        }
        StringBuilder text = new StringBuilder(texts.get(0));
        for (int index = 0; index < conversions.size(); index++) {
            conversions.get(index).append(text, arguments[index]);
            text.append(texts.get(index + 1));
        }
        return text.toString();
    }
}
