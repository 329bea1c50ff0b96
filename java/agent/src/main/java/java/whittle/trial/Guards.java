package java.whittle.trial;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Asks first whether a text has the fixed part of a regular expression. A text without this part has no match. */
public final class Guards {
    private Guards() {
    }

    /** Instead of the method of `Pattern`. A matcher for a text without the fixed part searches in an empty region, and finds nothing. */
    public static Matcher matcher(Pattern pattern, CharSequence text, int place) {
        Matcher matcher = pattern.matcher(text);
        FixedPart part = part(pattern, text, place);
        return part == null || ((String) text).contains(part.longest()) ? matcher : matcher.region(0, 0);
    }

    /** The same for a matcher that searches a match anywhere. The search begins where the text has the start of a match. */
    public static Matcher searcher(Pattern pattern, CharSequence text, int place) {
        Matcher matcher = pattern.matcher(text);
        FixedPart part = part(pattern, text, place);
        if (part == null) {
            return matcher;
        }
        int first = part.start().isEmpty() ? 0 : ((String) text).indexOf(part.start());
        if (first < 0 || !((String) text).contains(part.longest())) {
            return matcher.region(0, 0);
        }
        return first == 0 ? matcher : matcher.useTransparentBounds(true).useAnchoringBounds(false).region(first, text.length());
    }

    /** Instead of the method of `Matcher`. */
    public static String replaceAll(Matcher matcher, String replacement, int place) {
        String text = replacement == null ? null : textWithoutMatch(matcher, place);
        return text == null ? matcher.replaceAll(replacement) : text;
    }

    /** Instead of the method of `Matcher`. */
    public static String replaceFirst(Matcher matcher, String replacement, int place) {
        String text = replacement == null ? null : textWithoutMatch(matcher, place);
        return text == null ? matcher.replaceFirst(replacement) : text;
    }

    /** The text of the matcher, or null if it can have a match. A replacement begins at the start of the text, too. */
    private static String textWithoutMatch(Matcher matcher, int place) {
        FixedPart part = part(matcher.pattern(), place);
        if (part == null) {
            return null;
        }
        matcher.reset();
        StringBuffer copy = new StringBuffer();
        matcher.appendTail(copy);
        String text = copy.toString();
        return text.contains(part.longest()) ? null : text;
    }

    /** Null: there is no fixed part, or the text can still change before it is searched. */
    private static FixedPart part(Pattern pattern, CharSequence text, int place) {
        if (text instanceof String) {
            return part(pattern, place);
        }
        Places.refuse(place, "the text is no String, so it can change between the guard and the search");
        return null;
    }

    /** Null: there is no fixed part. */
    private static FixedPart part(Pattern pattern, int place) {
        FixedPart part = (FixedPart) Memory.of(place).get(pattern);
        if (part == null) {
            part = FixedPart.of(pattern);
            Memory.of(place).put(pattern, part);
        }
        if (part.longest().isEmpty()) {
            Places.refuse(place, "whittle knows no text that each match of the expression contains");
            return null;
        }
        Places.count(place);
        return part;
    }
}
