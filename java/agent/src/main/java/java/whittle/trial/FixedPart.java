package java.whittle.trial;

import java.util.regex.Pattern;

/**
 * The text that each match of a regular expression contains: `@` for `[\w.]+@[\w.]+`. Only the outermost sequence of the expression is
 * read, and an expression that leaves doubts has no fixed part.
 */
final class FixedPart {
    private static final int UNKNOWN_FLAGS = Pattern.COMMENTS | Pattern.CANON_EQ;
    /** Letters that mean a class of characters, a place or one character after a backslash. */
    private static final String CLASSES = "dDwWsSAzZGhHvVRXtnrfae";
    private static final String INLINE_FLAGS = "idmsuxU-";

    private final String regex;
    private boolean ignoresCase;
    private int at;
    private final StringBuilder run = new StringBuilder();
    /** No character of a match was read yet. */
    private boolean isAtStart = true;
    private String longest = "";
    private String first = "";

    /** How often an element of the expression is in a match. */
    private enum Times { PERHAPS, ONCE, SEVERAL, UNKNOWN }

    private FixedPart(String regex, boolean ignoresCase) {
        this.regex = regex;
        this.ignoresCase = ignoresCase;
    }

    static FixedPart of(Pattern pattern) {
        int flags = pattern.flags();
        FixedPart part = new FixedPart(pattern.pattern(), (flags & Pattern.CASE_INSENSITIVE) != 0);
        if ((flags & UNKNOWN_FLAGS) == 0) {
            part.read((flags & Pattern.LITERAL) != 0);
        }
        return part;
    }

    /** The longest fixed text. Empty: the expression has no fixed part, or it is unknown. */
    String longest() {
        return longest;
    }

    /** The text that each match begins with. Empty: unknown. */
    String start() {
        return first;
    }

    private void read(boolean isLiteral) {
        if (isLiteral && !ignoresCase) {
            run.append(regex);
            at = regex.length();
        }
        boolean isKnown = !isLiteral || !ignoresCase;
        while (isKnown && at < regex.length()) {
            isKnown = isElementRead();
        }
        endRun();
        if (!isKnown) {
            longest = "";
            first = "";
        }
    }

    /** A fixed text ends here. */
    private void endRun() {
        if (run.length() > longest.length()) {
            longest = run.toString();
        }
        if (isAtStart && run.length() > 0) {
            first = run.toString();
            isAtStart = false;
        }
        run.setLength(0);
    }

    /** False: the expression has something that this class does not know. */
    private boolean isElementRead() {
        char letter = regex.charAt(at);
        switch (letter) {
            case '(':
                return isGroupRead();
            case '[':
                return isClassSkipped() && isOtherRead();
            case '\\':
                return isEscapeRead();
            case '^':
                at++;
                return isBoundaryRead();
            case '.':
            case '$':
                at++;
                return isOtherRead();
            case '|':
            case ')':
            case '*':
            case '+':
            case '?':
            case '{':
                return false;
            default:
                at++;
                return isCharacterRead(letter);
        }
    }

    private boolean isCharacterRead(char letter) {
        return isAdded(letter, times());
    }

    private boolean isAdded(char letter, Times times) {
        boolean isFixed = !ignoresCase || letter < 128 && !Character.isLetter(letter);
        if (isFixed && (times == Times.ONCE || times == Times.SEVERAL)) {
            run.append(letter);
        }
        if (!isFixed || times != Times.ONCE) {
            endRun();
            isAtStart = false;
        }
        return times != Times.UNKNOWN && !Character.isSurrogate(letter);
    }

    /** An element with an unknown text was skipped. */
    private boolean isOtherRead() {
        endRun();
        isAtStart = false;
        return times() != Times.UNKNOWN;
    }

    /** An element without characters was skipped, which tells nothing about the text. */
    private boolean isBoundaryRead() {
        endRun();
        return times() == Times.ONCE;
    }

    /** Reads a quantifier, if there is one. */
    private Times times() {
        char letter = at < regex.length() ? regex.charAt(at) : 0;
        Times times;
        if (letter == '?' || letter == '*') {
            times = Times.PERHAPS;
        } else if (letter == '+') {
            times = Times.SEVERAL;
        } else if (letter == '{') {
            times = counted();
        } else {
            return Times.ONCE;
        }
        at++;
        if (at < regex.length() && (regex.charAt(at) == '?' || regex.charAt(at) == '+')) {
            at++;
        }
        return times;
    }

    /** Reads the quantifier `{2,5}` up to its end. */
    private Times counted() {
        int end = regex.indexOf('}', at);
        int first = at + 1;
        if (end < 0 || regex.charAt(first) < '0' || regex.charAt(first) > '9') {
            return Times.UNKNOWN;
        }
        while (regex.charAt(first) == '0') {
            first++;
        }
        at = end;
        return regex.charAt(first) >= '1' && regex.charAt(first) <= '9' ? Times.SEVERAL : Times.PERHAPS;
    }

    private boolean isEscapeRead() {
        if (at + 1 == regex.length()) {
            return false;
        }
        char letter = regex.charAt(at + 1);
        at += 2;
        if (letter == 'Q') {
            return isQuotationRead();
        }
        if (letter == 'p' || letter == 'P') {
            int end = regex.startsWith("{", at) ? regex.indexOf('}', at) : at;
            at = end + 1;
            return end >= 0 && at <= regex.length() && isOtherRead();
        }
        if (letter == 'b' || letter == 'B') {
            return isBoundaryRead();
        }
        if (CLASSES.indexOf(letter) >= 0) {
            return isOtherRead();
        }
        // Numbers of characters, groups that were matched before, and unknown letters.
        return letter < 128 && !Character.isLetterOrDigit(letter) && isCharacterRead(letter);
    }

    private boolean isQuotationRead() {
        int end = regex.indexOf("\\E", at);
        String quoted = regex.substring(at, end < 0 ? regex.length() : end);
        at = end < 0 ? regex.length() : end + 2;
        for (int index = 0; index < quoted.length(); index++) {
            // A quantifier after the quotation belongs to its last character.
            Times times = index == quoted.length() - 1 ? times() : Times.ONCE;
            if (!isAdded(quoted.charAt(index), times)) {
                return false;
            }
        }
        return true;
    }

    private boolean isGroupRead() {
        String flags = inlineFlags();
        int end = at + 2 + flags.length();
        if (regex.startsWith("(?", at) && regex.startsWith(")", end)) {
            ignoresCase |= flags.indexOf('i') >= 0;
            at = end + 1;
            endRun();
            return flags.indexOf('x') < 0 && flags.indexOf('-') < 0;
        }
        return isGroupSkipped() && isOtherRead();
    }

    /** The letters after `(?` at this place, as far as they are flags. */
    private String inlineFlags() {
        int first = at + 2;
        int end = first;
        while (regex.startsWith("(?", at) && end < regex.length() && INLINE_FLAGS.indexOf(regex.charAt(end)) >= 0) {
            end++;
        }
        return end > first ? regex.substring(first, end) : "";
    }

    private boolean isGroupSkipped() {
        int depth = 0;
        while (at < regex.length()) {
            char letter = regex.charAt(at);
            if (letter == '\\') {
                skipEscape();
            } else if (letter == '[') {
                if (!isClassSkipped()) {
                    return false;
                }
            } else {
                if (letter == '(' && inlineFlags().indexOf('x') >= 0) {
                    return false;
                }
                depth += letter == '(' ? 1 : letter == ')' ? -1 : 0;
                at++;
                if (depth == 0) {
                    return true;
                }
            }
        }
        return false;
    }

    private void skipEscape() {
        if (!regex.startsWith("\\Q", at)) {
            at += 2;
            return;
        }
        int end = regex.indexOf("\\E", at);
        at = end < 0 ? regex.length() : end + 2;
    }

    /** Skips `[a-z&&[^x]]`. */
    private boolean isClassSkipped() {
        at++;
        at += regex.startsWith("^", at) ? 1 : 0;
        if (regex.startsWith("]", at)) {
            return false;
        }
        while (at < regex.length()) {
            char letter = regex.charAt(at);
            if (letter == '[') {
                if (!isClassSkipped()) {
                    return false;
                }
            } else if (letter == ']') {
                at++;
                return true;
            } else if (regex.startsWith("\\Q", at)) {
                return false;
            } else {
                at += letter == '\\' ? 2 : 1;
            }
        }
        return false;
    }
}
