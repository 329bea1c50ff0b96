package whittle.tests.trial;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.CharBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.whittle.trial.Guards;
import java.whittle.trial.Places;
import org.junit.jupiter.api.Test;

/** Searches that first look for the fixed part of the expression. */
final class GuardTest {
    private static final String[] REGULAR = {"[\\w.+-]+@[\\w-]+\\.[\\w.]+", "1\\d{2}", "(?i)name=(\\w+)", "ab?c", "ab*@", "a+b", "a{0}b@",
        "a{0,2}=", "a{1,2}=", "(a|b)@", "a|b@", "(?:ab)?=", "(ab)+=", "\\Qa.b\\E", "\\Qa.b\\E?=", "\\Q.", "\\.b", "\\x41b", "\\101", "a\\1",
        "(a)\\1b", "[a@]", "[^]a]b", "[a[bc]]@", "[a&&[^b]]=", "\\p{Alpha}@", "\\pL@", "\\P{L}b", "^ab", "ab$", "\\bab\\b", "\\Bb", "a\\b@",
        "(?=a@)ab", "(?!a)b@", "(?<=a)b", "(?<!a)b", "a(?#@)b", "(?x)a @", "a(?x: b )@", "(?s)a.b", "(?-i)ab", "(?i:a)b@", "(?<n>a)b\\k<n>",
        "a\\tb", "\\R", "\\h=", "a.b", "a@|=", "(a|=)b@|", "x*", "", "\\Qab\\E+@", "[\\]a]=", "[\\\\]b", "\ud83d\ude00@", "a\ud83d\ude00?",
        "ab{2}@", "(a(b)@)", "(\\()a", "(\\Q(\\E)a", "([(])b", "a*?b@", "a++b", "\\G@b"};
    private static final int[] FLAGS = {0, Pattern.CASE_INSENSITIVE, Pattern.COMMENTS, Pattern.LITERAL, Pattern.MULTILINE, Pattern.DOTALL,
        Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE, Pattern.LITERAL | Pattern.CASE_INSENSITIVE, Pattern.CANON_EQ};
    private static final String ALPHABET = "abAB1@=.(\\ \n";
    private static final String[] METHODS = {"replaceAll", "replaceFirst", "find", "matches", "lookingAt", "appended", "again"};

    private static List<Pattern> patterns() {
        List<Pattern> patterns = new ArrayList<>();
        for (String regex : REGULAR) {
            for (int flags : FLAGS) {
                try {
                    patterns.add(Pattern.compile(regex, flags));
                } catch (PatternSyntaxException notAllowed) {
                    continue;
                }
            }
        }
        return patterns;
    }

    private static List<String> texts() {
        List<String> texts = new ArrayList<>(List.of("", "a.b=", "x a@b.c y", "NAME=bob", "name=Bob 112", "ab@ ab\nab", "aAb",
            "\ud83d\ude00@"));
        Random random = new Random(3);
        for (int count = 0; count < 40; count++) {
            StringBuilder text = new StringBuilder();
            for (int length = random.nextInt(12); length > 0; length--) {
                text.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
            }
            texts.add(text.toString());
        }
        return texts;
    }

    @Test
    void allSearchesGiveTheSameResults() throws Exception {
        for (String method : METHODS) {
            String target = method.startsWith("replace") ? method : "matcher";
            Tried tried = new Tried("fixed-part-first", GuardPrograms.class, method, target);
            Tried.Loaded before = tried.unchanged();
            Tried.Loaded after = tried.loaded();
            List<String> texts = texts();
            for (Pattern pattern : patterns()) {
                for (String text : texts) {
                    assertEquals(before.run(pattern, text), after.run(pattern, text), method + " " + pattern + " " + pattern.flags());
                }
            }
            assertTrue(tried.count() > 1000, method + " " + tried.count());
        }
    }

    /** The guard is at the creation of the matcher, also if the place is the search. */
    @Test
    void aSearchIsGuardedWhereItsMatcherIsCreated() throws Exception {
        Tried tried = new Tried("fixed-part-first", GuardPrograms.class, "find", "find");
        Pattern pattern = Pattern.compile("b@");
        for (String text : List.of("a", "ab@c b@", "xb@")) {
            assertEquals(tried.before(pattern, text), tried.after(pattern, text));
        }
        assertEquals(3, tried.count());
    }

    /** A matcher can be created before its text is complete. */
    @Test
    void aTextThatCanChangeIsSearchedAsBefore() throws Exception {
        Tried tried = new Tried("fixed-part-first", GuardPrograms.class, "find", "find");
        Pattern pattern = Pattern.compile("b@");
        CharSequence[] texts = {new StringBuilder("xb@"), new StringBuilder("x"), CharBuffer.wrap("b@")};
        for (CharSequence text : texts) {
            assertEquals(tried.before(pattern, text), tried.after(pattern, text));
        }
        assertEquals(0, tried.count());
        assertEquals("the text is no String, so it can change between the guard and the search", Places.refused(tried.number));
        StringBuilder growing = new StringBuilder("no match");
        Matcher matcher = Guards.searcher(pattern, growing, Places.LIMIT - 2);
        growing.replace(0, 2, "b@");
        assertTrue(matcher.find());
    }

    /** Expressions that nobody has thought of. */
    @Test
    void randomExpressionsFindTheSame() {
        Random random = new Random(7);
        String[] pieces = {"a", "b", "@", "=", "\\.", ".", "[ab]", "(a", "(?:b", "(?i)", ")", "?", "*", "+", "{2}", "{0,1}", "|", "\\b", "^",
            "$", "\\w", "(?=", "(?!", "(?<=", "\\Qa@\\E", "[^@]"};
        List<String> texts = texts();
        int guarded = 0;
        for (int round = 0; round < 20_000; round++) {
            StringBuilder regex = new StringBuilder();
            for (int length = 1 + random.nextInt(7); length > 0; length--) {
                regex.append(pieces[random.nextInt(pieces.length)]);
            }
            Pattern pattern;
            try {
                pattern = Pattern.compile(regex.toString());
            } catch (PatternSyntaxException wrong) {
                continue;
            }
            // Each expression has its own place, because places remember expressions.
            int place = Places.LIMIT - 1;
            for (int count = 0; count < 4; count++) {
                String text = texts.get(random.nextInt(texts.size()));
                String before = GuardPrograms.find(pattern, text);
                Matcher matcher = Guards.searcher(pattern, text, place);
                StringBuilder found = new StringBuilder();
                while (matcher.find()) {
                    found.append(matcher.start()).append(matcher.group()).append(';');
                }
                assertEquals(before, found.toString(), regex + " in " + text);
                assertEquals(pattern.matcher(text).matches(), Guards.matcher(pattern, text, place).matches(), regex + " in " + text);
                guarded++;
            }
        }
        assertTrue(guarded > 3_000 && Places.counted(Places.LIMIT - 1) > 3_000, "only " + guarded);
    }

    @Test
    void anExpressionWithoutAFixedPartIsNotTried() throws Exception {
        Tried tried = new Tried("fixed-part-first", GuardPrograms.class, "replaceAll", "replaceAll");
        tried.after(Pattern.compile("\\d+"), "1");
        assertEquals(0, tried.count());
        assertEquals("whittle knows no text that each match of the expression contains", Places.refused(tried.number));
    }

    @Test
    void aMatcherThatOtherCodeCanUseIsRefused() throws Exception {
        assertEquals("refused: the matcher leaves the method, and other code can ask for its region",
            new Tried("fixed-part-first", GuardPrograms.class, "returned", "matcher").line());
        assertEquals("refused: the method gets the matcher from elsewhere, so its text is not known",
            new Tried("fixed-part-first", GuardPrograms.class, "given", "find").line());
        assertEquals("refused: the method also calls Matcher.regionEnd on the object",
            new Tried("fixed-part-first", GuardPrograms.class, "region", "matcher").line());
    }
}
