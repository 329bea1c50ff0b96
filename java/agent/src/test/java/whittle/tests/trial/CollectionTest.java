package whittle.tests.trial;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Other capacities, lists and builders. */
final class CollectionTest {
    private static Tried tried(String remedy, String method, String target, String... arguments) throws Exception {
        return new Tried(remedy, SmallPrograms.class, method, target, arguments);
    }

    private static void isSame(Tried tried, Object... arguments) throws Exception {
        assertEquals(tried.before(arguments), tried.after(arguments));
        assertEquals(1, tried.count());
    }

    @Test
    void aCapacityChangesNoResult() throws Exception {
        isSame(tried("presize", "presizedMap", "HashMap", "2000"), 1000);
        isSame(tried("presize", "presizedBuilder", "StringBuilder", "100000"), 1000);
        isSame(tried("presize", "bytes", "ByteArrayOutputStream", "1"));
    }

    @Test
    void aMapSaysThatItsOrderCanDiffer() throws Exception {
        Tried tried = tried("presize", "presizedMap", "HashMap", "2000");
        assertEquals("note\t" + tried.number + "\tthe order of iteration depends on the capacity, so it can differ",
            tried.outcome.lines.get(1));
    }

    @Test
    void wrongCapacitiesAreRefused() throws Exception {
        String reason = "refused: the plan has no capacity from 1 to 1073741824";
        assertEquals(reason, tried("presize", "presizedMap", "HashMap").line());
        assertEquals(reason, tried("presize", "presizedMap", "HashMap", "-1").line());
        assertEquals(reason, tried("presize", "presizedMap", "HashMap", "many").line());
        assertEquals("refused: the constructor already has arguments", tried("presize", "presizedList", "ArrayList", "9").line());
        assertEquals("refused: a java.util.LinkedList has no capacity that whittle knows",
            tried("presize", "linked", "LinkedList", "9").line());
    }

    @Test
    void aListIsAnArrayList() throws Exception {
        isSame(tried("array-list", "linked", "LinkedList"), 10);
        isSame(tried("array-list", "linkedEach", "LinkedList"), List.of("a", "b"));
    }

    @Test
    void aListThatOtherCodeCanUseStaysALinkedList() throws Exception {
        String reason = "refused: the list leaves the method, and other code can need a LinkedList";
        assertEquals(reason, tried("array-list", "linkedFor", "LinkedList").line());
        assertEquals(reason, tried("array-list", "linkedList", "LinkedList").line());
        assertEquals(reason, tried("array-list", "linkedPassed", "LinkedList").line());
    }

    @Test
    void aListThatShrinksDuringAnIterationStaysALinkedList() throws Exception {
        assertEquals("refused: the method iterates over the list and removes elements, which can fail in another way",
            tried("array-list", "linkedRemoved", "LinkedList").line());
    }

    @Test
    void aQueueStaysALinkedList() throws Exception {
        assertEquals("refused: the method also calls LinkedList.addFirst on the object", tried("array-list", "queue", "LinkedList").line());
        assertEquals("refused: the method also calls Deque.peek on the object", tried("array-list", "deque", "LinkedList").line());
    }

    @Test
    void aBufferThatStaysInItsMethodIsABuilder() throws Exception {
        for (int count : new int[] {0, 1, 7}) {
            isSame(tried("unsynchronized", "buffer", "StringBuffer"), count, true);
            isSame(tried("unsynchronized", "buffer", "StringBuffer"), count, false);
        }
    }

    @Test
    void aBufferThatLeavesItsMethodIsRefused() throws Exception {
        String reason = "refused: the StringBuffer leaves the method, or a method uses it that StringBuilder does not have";
        assertEquals(reason, tried("unsynchronized", "returnedBuffer", "StringBuffer").line());
        assertEquals(reason, tried("unsynchronized", "sharedBuffer", "StringBuffer").line());
        assertEquals("refused: the method uses several StringBuffers in the same instruction",
            tried("unsynchronized", "mixedBuffer", "StringBuffer").line());
    }
}
