package whittle.tests.trial;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.InvocationTargetException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Regular expressions that are compiled once. */
final class PatternTest {
    private static final String[] REGULAR = {"a+", ",", "\\.", "\\d", "", "[ab]", "|", "(x", "*", "\ud83d", "$", "\\", "b"};
    private static final String[] TEXTS = {"", "a,b,,", "1.2.3", "aab|c", "AB", ",a"};

    /** The result, or what was thrown. */
    private static String result(Tried tried, boolean isChanged, String regex, String text) throws Exception {
        try {
            return String.valueOf(isChanged ? tried.after(regex, text) : tried.before(regex, text));
        } catch (InvocationTargetException thrown) {
            return thrown.getCause().getClass() + ": " + (regex == null || text == null ? "" : thrown.getCause().getMessage());
        }
    }

    @Test
    void allMethodsGiveTheSameResults() throws Exception {
        for (List<String> program : List.of(List.of("compile", "compile"), List.of("flags", "compile"),
            List.of("matchesStatic", "matches"), List.of("matches", "matches"), List.of("replaceAll", "replaceAll"),
            List.of("replaceFirst", "replaceFirst"), List.of("split", "split"), List.of("splitLimit", "split"))) {
            Tried tried = new Tried("compile-once", PatternPrograms.class, program.get(0), program.get(1));
            int calls = 0;
            for (int round = 0; round < 2; round++) {
                for (String regex : REGULAR) {
                    for (String text : TEXTS) {
                        assertEquals(result(tried, false, regex, text), result(tried, true, regex, text), program + " " + regex);
                        calls++;
                    }
                }
            }
            assertEquals(calls, tried.count());
            assertEquals(result(tried, false, null, "x"), result(tried, true, null, "x"));
            assertEquals(result(tried, false, "x", null), result(tried, true, "x", null));
        }
    }

    /** More expressions than a place remembers. */
    @Test
    void manyExpressionsGiveTheSameResults() throws Exception {
        Tried tried = new Tried("compile-once", PatternPrograms.class, "replaceAll", "replaceAll");
        for (int index = 0; index < 200; index++) {
            assertEquals(result(tried, false, "1" + index, "x1" + index), result(tried, true, "1" + index, "x1" + index));
        }
    }
}
