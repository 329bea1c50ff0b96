package whittle.tests.trial;

import java.util.Arrays;
import java.util.regex.Pattern;

/** Small programs with regular expressions. */
final class PatternPrograms {
    private PatternPrograms() {
    }

    static boolean compile(String regex, String text) {
        return Pattern.compile(regex).matcher(text).find();
    }

    static boolean flags(String regex, String text) {
        return Pattern.compile(regex, Pattern.CASE_INSENSITIVE).matcher(text).find();
    }

    static boolean matchesStatic(String regex, String text) {
        return Pattern.matches(regex, text);
    }

    static boolean matches(String regex, String text) {
        return text.matches(regex);
    }

    static String replaceAll(String regex, String text) {
        return text.replaceAll(regex, "<$0>");
    }

    static String replaceFirst(String regex, String text) {
        return text.replaceFirst(regex, "-");
    }

    static String split(String regex, String text) {
        return Arrays.toString(text.split(regex));
    }

    static String splitLimit(String regex, String text) {
        return Arrays.toString(text.split(regex, 2));
    }
}
