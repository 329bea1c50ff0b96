package java.whittle.trial;

import java.util.Arrays;
import java.util.regex.Pattern;

/** Compiles each regular expression of a place once. A wrong expression throws each time, as before. */
public final class Patterns {
    private static final String META = ".$|()[{^?*+\\";

    private Patterns() {
    }

    /** Instead of the method of `Pattern`. */
    public static Pattern compile(String regex, int place) {
        Places.count(place);
        return remembered(regex, place);
    }

    /** Instead of the method of `Pattern`. */
    public static Pattern compile(String regex, int flags, int place) {
        Places.count(place);
        Object key = Arrays.asList(regex, flags);
        Pattern known = (Pattern) Memory.of(place).get(key);
        if (known == null) {
            known = Pattern.compile(regex, flags);
            Memory.of(place).put(key, known);
        }
        return known;
    }

    /** Instead of the method of `Pattern`. */
    public static boolean matches(String regex, CharSequence input, int place) {
        Places.count(place);
        return remembered(regex, place).matcher(input).matches();
    }

    /** Instead of the method of `String`. */
    public static boolean isMatch(String text, String regex, int place) {
        Places.count(place);
        return remembered(regex, place).matcher(text).matches();
    }

    /** Instead of the method of `String`. */
    public static String replaceAll(String text, String regex, String replacement, int place) {
        Places.count(place);
        return remembered(regex, place).matcher(text).replaceAll(replacement);
    }

    /** Instead of the method of `String`. */
    public static String replaceFirst(String text, String regex, String replacement, int place) {
        Places.count(place);
        return remembered(regex, place).matcher(text).replaceFirst(replacement);
    }

    /** Instead of the method of `String`. */
    public static String[] split(String text, String regex, int place) {
        return split(text, regex, 0, place);
    }

    /** Instead of the method of `String`, which compiles no pattern for a single character. */
    public static String[] split(String text, String regex, int limit, int place) {
        Places.count(place);
        if (text == null || regex == null || isPlain(regex)) {
            return text.split(regex, limit);
        }
        return remembered(regex, place).split(text, limit);
    }

    /** True if `String.split` needs no pattern. */
    static boolean isPlain(String regex) {
        if (regex.length() == 1) {
            return META.indexOf(regex.charAt(0)) < 0 && !Character.isSurrogate(regex.charAt(0));
        }
        return regex.length() == 2 && regex.charAt(0) == '\\' && !isAlphanumeric(regex.charAt(1))
            && !Character.isSurrogate(regex.charAt(1));
    }

    private static boolean isAlphanumeric(char letter) {
        return letter >= '0' && letter <= '9' || letter >= 'a' && letter <= 'z' || letter >= 'A' && letter <= 'Z';
    }

    private static Pattern remembered(String regex, int place) {
        if (regex == null) {
            return Pattern.compile(null);
        }
        Pattern known = (Pattern) Memory.of(place).get(regex);
        if (known == null) {
            known = Pattern.compile(regex);
            Memory.of(place).put(regex, known);
        }
        return known;
    }
}
