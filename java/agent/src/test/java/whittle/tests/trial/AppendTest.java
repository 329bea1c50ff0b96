package whittle.tests.trial;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Texts that grow in one builder. */
final class AppendTest {
    private static final String CONCATENATION = "makeConcatWithConstants";

    private static Tried tried(String method) throws Exception {
        return new Tried("one-builder", AppendPrograms.class, method, CONCATENATION);
    }

    private static void isSame(String method, Object... arguments) throws Exception {
        Tried tried = tried(method);
        assertEquals(tried.before(arguments), tried.after(arguments), method);
    }

    @Test
    void theTextsAreTheSame() throws Exception {
        for (int count : new int[] {0, 1, 5, 300}) {
            isSame("loop", count);
            isSame("nothing", count);
            isSame("captured", count);
        }
        for (int count : new int[] {0, 1, 5}) {
            isSame("twoVariables", count);
            isSame("reassigned", count);
        }
        isSame("several", List.of("a", "b", "", "cab"), true);
        isSame("several", List.of("a", "b", "", "cab"), false);
        isSame("tried", List.of("ab", "c"));
        isSame("tried", List.of("ab", "", "c"));
    }

    @Test
    void theExecutionsAreCounted() throws Exception {
        Tried tried = tried("loop");
        tried.after(20);
        assertEquals(20, tried.count());
    }

    @Test
    void textsThatAreUsedInAnotherWayAreRefused() throws Exception {
        assertEquals("refused: the method also uses the text while it appends to it", tried("nested").line());
        assertEquals("refused: the text is also a parameter of the method", tried("parameter").line());
        assertEquals("refused: the line does not append to the text of the same variable", tried("atTheFront").line());
        assertEquals("refused: the method does not keep the text in a local variable", tried("joined").line());
        assertEquals("refused: the line does not append to the text of the same variable", tried("asObject").line());
        assertEquals("refused: the method does not keep the text in a local variable", tried("eitherWay").line());
        assertEquals("refused: the method does not keep the text in a local variable", tried("inner").line());
    }
}
