package whittle.tests.trial;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayOutputStream;
import java.io.CharArrayWriter;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Hashtable;
import java.util.List;
import java.util.Map;
import java.util.Vector;
import java.util.WeakHashMap;
import java.util.concurrent.locks.LockSupport;
import java.whittle.trial.Fields;
import java.whittle.trial.Places;
import java.whittle.trial.Sizes;
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
    void aStackOfOneThreadNeedsNoLock() throws Exception {
        isSame(tried("one-thread", "stack", "Stack"));
        for (int capacity : new int[] {0, 1, 5}) {
            isSame(tried("one-thread", "vectorOf", "Vector"), capacity);
        }
        assertThrows(InvocationTargetException.class, () -> tried("one-thread", "vectorOf", "Vector").after(-1));
        Tried shared = tried("one-thread", "stackOfTwoThreads", "Stack");
        shared.after();
        assertEquals("several threads use such an object", Places.broken(shared.number));
    }

    @Test
    void aCapacityChangesNoResult() throws Exception {
        for (String[] program : new String[][] {{"presizedMap", "HashMap"}, {"presizedBuilder", "StringBuilder"}}) {
            Tried tried = tried("presize", program[0], program[1]);
            for (int size : new int[] {1000, 5000, 0, 3000}) {
                assertEquals(tried.before(size), tried.after(size));
            }
            assertEquals(3, tried.count());
        }
        Tried bytes = tried("presize", "bytes", "ByteArrayOutputStream");
        assertEquals(bytes.before(), bytes.after());
        assertEquals(bytes.before(), bytes.after());
        assertEquals(1, bytes.count());
    }

    /** The first object shows the size of the next ones. */
    @Test
    void anObjectHasRoomForAsMuchAsEarlierOnes() throws Exception {
        Tried tried = tried("presize", "presizedMap", "HashMap");
        tried.after(1000);
        assertEquals("no earlier object of the place shows the size", Places.refused(tried.number));
        Map<Integer, Integer> map = new HashMap<>();
        Sizes.created(map, tried.number);
        assertEquals(16, Sizes.next(tried.number));
        for (int index = 0; index < 3000; index++) {
            map.put(index, index);
        }
        assertEquals(4001, Sizes.next(tried.number));
        Sizes.created(new HashMap<>(), tried.number);
        assertEquals(4001 - 4001 / 16, Sizes.next(tried.number));
        assertEquals(4001, Sizes.largest(tried.number));
    }

    @Test
    void theSizeOfEachClassIsSeenAlsoWhileItsLockIsHeld() throws Exception {
        Collection<Integer> elements = Collections.nCopies(300, 1);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(new byte[300]);
        CharArrayWriter characters = new CharArrayWriter();
        characters.write(new char[300]);
        StringWriter text = new StringWriter();
        text.write("x".repeat(300));
        Map<Integer, Integer> table = new HashMap<>();
        for (int index = 0; index < 300; index++) {
            table.put(index, index);
        }
        Object[] ofElements = {new ArrayList<>(elements), new ArrayDeque<>(elements), new Vector<>(elements), bytes, characters, text,
            new StringBuffer("x".repeat(300)), new StringBuilder("x".repeat(300))};
        Object[] tables = {table, new Hashtable<>(table), new WeakHashMap<>(table)};
        Fields.find();
        int place = Places.LIMIT - 2;
        for (Object[] objects : new Object[][] {ofElements, tables}) {
            for (Object object : objects) {
                Sizes.created(object, --place);
                int seen = place;
                Thread holder = new Thread(() -> {
                    synchronized (object) {
                        LockSupport.park();
                    }
                });
                holder.setDaemon(true);
                holder.start();
                while (holder.getState() != Thread.State.WAITING) {
                    Thread.onSpinWait();
                }
                assertEquals(objects == tables ? 401 : 300, Sizes.next(seen), object.getClass().getName());
                LockSupport.unpark(holder);
            }
        }
    }

    @Test
    void aMapSaysThatItsOrderCanDiffer() throws Exception {
        Tried tried = tried("presize", "presizedMap", "HashMap");
        assertEquals("note\t" + tried.number + "\tthe order of iteration depends on the capacity, so it can differ",
            tried.outcome.lines.get(1));
    }

    @Test
    void objectsWithoutARoomThatCanBeSetAreRefused() throws Exception {
        assertEquals("refused: the constructor already has arguments", tried("presize", "presizedList", "ArrayList").line());
        assertEquals("refused: a java.util.LinkedList has no capacity that whittle knows",
            tried("presize", "linked", "LinkedList").line());
    }

    @Test
    void aListIsAnArrayList() throws Exception {
        isSame(tried("array-list", "linked", "LinkedList"), 10);
        isSame(tried("array-list", "linkedEach", "LinkedList"), List.of("a", "b"));
        isSame(tried("array-list", "vector", "Vector"), 10);
    }

    @Test
    void aListThatOtherCodeCanUseStaysALinkedList() throws Exception {
        String reason = "refused: the list leaves the method, and other code can need a LinkedList";
        assertEquals(reason, tried("array-list", "linkedFor", "LinkedList").line());
        assertEquals(reason, tried("array-list", "linkedList", "LinkedList").line());
        assertEquals(reason, tried("array-list", "linkedPassed", "LinkedList").line());
        assertEquals("refused: the method also calls Vector.addElement on the object", tried("array-list", "elements", "Vector").line());
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
