package whittle.tests.trial;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Small programs that search texts with compiled expressions. */
final class GuardPrograms {
    private GuardPrograms() {
    }

    static String replaceAll(Pattern pattern, CharSequence text) {
        return pattern.matcher(text).replaceAll("<$0>");
    }

    static String replaceFirst(Pattern pattern, CharSequence text) {
        return pattern.matcher(text).replaceFirst("-");
    }

    static String find(Pattern pattern, CharSequence text) {
        Matcher matcher = pattern.matcher(text);
        StringBuilder found = new StringBuilder();
        while (matcher.find()) {
            found.append(matcher.start()).append(matcher.group()).append(';');
        }
        return found.toString();
    }

    static boolean matches(Pattern pattern, CharSequence text) {
        return pattern.matcher(text).matches();
    }

    static String lookingAt(Pattern pattern, CharSequence text) {
        Matcher matcher = pattern.matcher(text);
        return matcher.lookingAt() + " " + matcher.find();
    }

    static String appended(Pattern pattern, CharSequence text) {
        Matcher matcher = pattern.matcher(text);
        StringBuffer out = new StringBuffer();
        while (matcher.find()) {
            matcher.appendReplacement(out, "-");
        }
        return matcher.appendTail(out).toString();
    }

    static String again(Pattern pattern, CharSequence text) {
        Matcher matcher = pattern.matcher(text);
        boolean isFound = matcher.find();
        matcher.reset();
        boolean isFoundAgain = matcher.find();
        return isFound + " " + isFoundAgain + " " + matcher.reset("ab@1=a").find() + " " + matcher.replaceAll("x");
    }

    static Matcher returned(Pattern pattern, CharSequence text) {
        return pattern.matcher(text);
    }

    static boolean given(Matcher matcher) {
        return matcher.find();
    }

    static int region(Pattern pattern, CharSequence text) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? 1 : matcher.regionEnd();
    }
}
