package java.whittle;

/**
 * The name of a statement: its SQL with `?` instead of literals, without comments, and with single spaces. Lists of `?` are one `?`.
 *
 * <p>Dialects disagree about where some literals end. In such a place, the name ends: a literal is never part of a name.
 */
final class Sql {
    /** The number of characters of the statement, and of the name before it is shortened, that are read. */
    private static final int MOST_READ = 16384;
    private static final int MOST_KEPT = 1024;

    /** If a name is too long, this many bytes after the list of columns stay. */
    private static final int LONGEST_END = 100;

    private static final char REST = '\u2026';

    /** After these words, a text in double quotes is a name in all dialects. In other places, it is a literal in some. */
    private static final String BEFORE_NAMES = " from join into update table index view ";

    private final String sql;
    private final int end;
    private final StringBuilder name = new StringBuilder(Names.LONGEST);
    private int next;
    /** Where the last word of the name begins, if it ends with a word. */
    private int word = -1;

    private Sql(String sql) {
        this.sql = sql;
        end = Math.min(sql.length(), MOST_READ);
    }

    static byte[] name(String sql) {
        Sql reader = new Sql(sql);
        reader.read();
        return reader.shortened();
    }

    private void read() {
        while (next < end && name.length() < MOST_KEPT) {
            if (!readToken(sql.charAt(next))) {
                name.append(REST);
                return;
            }
        }
        trim();
        if (next < sql.length()) {
            if (last() == ',') {
                name.setLength(name.length() - 1);
            }
            name.append(REST);
        }
    }

    /** Returns false if the end of a literal is not known. */
    private boolean readToken(char first) {
        if (first <= ' ' || first == '\u00a0') {
            next++;
            space();
        } else if (first == '-' && at(1) == '-') {
            skipUntil("\n");
            space();
        } else if (first == '/' && at(1) == '*') {
            boolean isClosed = skipUntil("*/");
            space();
            return isClosed;
        } else if (first == '\'') {
            return readText();
        } else if (first == '"') {
            return readQuoted();
        } else if (first == '`') {
            return readName();
        } else if (first == '$') {
            return readDollar();
        } else if (first == '#') {
            // A comment in MySQL, a name or an operator in other dialects.
            return false;
        } else if (isDigit(first) || first == '.' && isDigit(at(1)) && !endsWithName()) {
            readNumber();
        } else if (isWord(first)) {
            readWord();
            return !isBeforePassword();
        } else {
            next++;
            if (first == '?') {
                parameter();
            } else {
                append(first);
            }
        }
        return true;
    }

    private char at(int distance) {
        return next + distance < end ? sql.charAt(next + distance) : 0;
    }

    private static boolean isDigit(char letter) {
        return letter >= '0' && letter <= '9';
    }

    private static boolean isWord(char letter) {
        return Character.isLetterOrDigit(letter) || letter == '_' || letter == '#' || letter == '@' || letter == ':';
    }

    private boolean endsWithName() {
        char last = last();
        return word >= 0 || last == '"' || last == '`' || last == ']' || last == ')';
    }

    private char last() {
        return name.length() == 0 ? 0 : name.charAt(name.length() - 1);
    }

    private void space() {
        word = -1;
        char last = last();
        if (last != 0 && last != ' ' && last != '(' && last != ',') {
            name.append(' ');
        }
    }

    private void trim() {
        while (last() == ' ') {
            name.setLength(name.length() - 1);
        }
    }

    private void append(char letter) {
        word = -1;
        if (letter == ',' || letter == ')') {
            trim();
        }
        name.append(letter);
        if (letter == ')' && endsWith("(?),(?)")) {
            name.setLength(name.length() - 4);
        }
    }

    private boolean endsWith(String text) {
        int start = name.length() - text.length();
        return start >= 0 && name.indexOf(text, start) == start;
    }

    /** A parameter or a literal. */
    private void parameter() {
        word = -1;
        if (last() == '-' && isSign(name.length() - 2)) {
            name.setLength(name.length() - 1);
        }
        if (endsWith("?,")) {
            name.setLength(name.length() - 1);
        } else {
            name.append('?');
        }
    }

    /** Whether a minus after this place is the sign of a number. */
    private boolean isSign(int place) {
        int before = place;
        while (before >= 0 && name.charAt(before) == ' ') {
            before--;
        }
        return before >= 0 && "=<>(,+-*/%|".indexOf(name.charAt(before)) >= 0;
    }

    private boolean skipUntil(String close) {
        int found = sql.indexOf(close, next + 2);
        next = found < 0 || found >= end ? end : found + close.length();
        return found >= 0 && found < end || close.equals("\n");
    }

    /** A text in single quotes, with what belongs to it directly before: `N'text'`. */
    private boolean readText() {
        if (word >= 0) {
            String prefix = name.substring(word).toLowerCase(java.util.Locale.ROOT);
            if (prefix.equals("q") || prefix.equals("nq")) {
                return false;
            }
            name.setLength(word);
        }
        if (!skipQuoted('\'')) {
            return false;
        }
        parameter();
        return true;
    }

    /** A name in double quotes, or a text in some dialects. */
    private boolean readQuoted() {
        int begin = next;
        char before = last();
        boolean isName = before == '.' || followsNameWord();
        if (!skipQuoted('"')) {
            return false;
        }
        if (isName || at(0) == '.') {
            keep(begin);
        } else {
            parameter();
        }
        return true;
    }

    private boolean followsNameWord() {
        int close = name.length();
        while (close > 0 && name.charAt(close - 1) == ' ') {
            close--;
        }
        int open = close;
        while (open > 0 && Character.isLetter(name.charAt(open - 1))) {
            open--;
        }
        if (open == close) {
            return close == 0;
        }
        return BEFORE_NAMES.contains(" " + name.substring(open, close).toLowerCase(java.util.Locale.ROOT) + " ");
    }

    private boolean readName() {
        int begin = next;
        if (!skipQuoted('`')) {
            return false;
        }
        keep(begin);
        return true;
    }

    private void keep(int begin) {
        word = -1;
        name.append(sql, begin, next);
    }

    /** Skips a text with its quotes. A doubled quote is part of the text. Returns false if the end is not certain. */
    private boolean skipQuoted(char quote) {
        int place = next + 1;
        while (place < end) {
            char letter = sql.charAt(place);
            if (letter == '\\' && place + 1 < end && sql.charAt(place + 1) == quote) {
                // In some dialects the quote is part of the text, in others it ends the text.
                return false;
            }
            if (letter == quote) {
                if (place + 1 >= end || sql.charAt(place + 1) != quote) {
                    next = place + 1;
                    return true;
                }
                place++;
            }
            place++;
        }
        return false;
    }

    /** `$1`, `$$text$$`, or `$tag$text$tag$`. */
    private boolean readDollar() {
        if (isDigit(at(1))) {
            next++;
            while (isDigit(at(0))) {
                next++;
            }
            parameter();
            return true;
        }
        int close = next + 1;
        while (close < end && isWord(sql.charAt(close))) {
            close++;
        }
        if (close >= end || sql.charAt(close) != '$') {
            next++;
            append('$');
            return true;
        }
        String tag = sql.substring(next, close + 1);
        int found = sql.indexOf(tag, close + 1);
        if (found < 0 || found >= end) {
            return false;
        }
        next = found + tag.length();
        parameter();
        return true;
    }

    private void readNumber() {
        while (isDigit(at(0)) || at(0) == '.' || at(0) < 0x80 && isWord(at(0))) {
            boolean isExponent = at(0) == 'e' || at(0) == 'E';
            next++;
            if (isExponent && (at(0) == '+' || at(0) == '-')) {
                next++;
            }
        }
        parameter();
    }

    private void readWord() {
        if (word < 0) {
            word = name.length();
        }
        while (next < end && (isWord(sql.charAt(next)) || sql.charAt(next) == '$')) {
            name.append(sql.charAt(next++));
        }
    }

    /** Whether a password can follow: `identified by secret` needs no quotes in some dialects. */
    private boolean isBeforePassword() {
        String text = name.substring(Math.max(0, name.length() - "identified by".length())).toLowerCase(java.util.Locale.ROOT);
        return text.equals("identified by") || text.endsWith("password");
    }

    /** The name as bytes. If it is too long, columns of a query are left out before the tables are. */
    private byte[] shortened() {
        int from = name.length() > Names.LONGEST ? from() : -1;
        if (from < 0) {
            return Names.bytes(name.toString());
        }
        String rest = name.substring(from, Math.min(name.length(), from + LONGEST_END));
        int head = Math.min(from, Names.LONGEST - rest.length() - 3);
        return Names.bytes(name.substring(0, head) + REST + rest);
    }

    /** Where " from " outside parentheses begins in a query, or -1. */
    private int from() {
        int depth = 0;
        for (int place = 0; place + 6 <= name.length(); place++) {
            char letter = name.charAt(place);
            depth += letter == '(' ? 1 : letter == ')' ? -1 : 0;
            if (depth == 0 && letter == ' ' && name.substring(place, place + 6).equalsIgnoreCase(" from ")) {
                return place;
            }
        }
        return -1;
    }
}
