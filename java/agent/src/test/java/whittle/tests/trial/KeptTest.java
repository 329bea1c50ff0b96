package whittle.tests.trial;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import org.junit.jupiter.api.Test;

/** Arrays and direct buffers that a thread uses again. */
final class KeptTest {
    private static Tried array(String method) throws Exception {
        return new Tried("reuse", KeptPrograms.class, method, "[]");
    }

    private static Tried buffer(String method) throws Exception {
        return new Tried("reuse", KeptPrograms.class, method, "allocateDirect");
    }

    private static void isSame(Tried tried, Object... arguments) throws Exception {
        for (int run = 0; run < 3; run++) {
            assertEquals(tried.before(arguments), tried.after(arguments));
        }
    }

    private static long allocatedBytes() {
        return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean()).getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    @Test
    void anArrayIsKeptAndBeginsWithZeros() throws Exception {
        Tried tried = array("sum");
        isSame(tried, 1000);
        isSame(tried, 10);
        int length = 1 << 20;
        tried.after(length);
        long before = allocatedBytes();
        tried.after(length);
        assertTrue(allocatedBytes() - before < length, "the array has four times as many bytes");
        assertEquals(8, tried.count());
    }

    @Test
    void eachRoundOfALoopFindsZeros() throws Exception {
        isSame(array("rounds"), 50);
    }

    @Test
    void recursiveCallsHaveTheirOwnArrays() throws Exception {
        isSame(array("recursive"), 5);
        assertEquals(6, arrayRuns("recursive", 5));
    }

    private static long arrayRuns(String method, Object argument) throws Exception {
        Tried tried = array(method);
        tried.after(argument);
        return tried.count();
    }

    @Test
    void anExceptionEndsTheUse() throws Exception {
        Tried tried = array("failing");
        for (int run = 0; run < 3; run++) {
            InvocationTargetException thrown = assertThrows(InvocationTargetException.class, () -> tried.after(true));
            assertSame(IllegalStateException.class, thrown.getCause().getClass());
            assertEquals(0, tried.after(false));
        }
    }

    @Test
    void aNegativeLengthFailsAsBefore() throws Exception {
        Tried tried = array("negative");
        Throwable before = assertThrows(InvocationTargetException.class, () -> tried.before(-1)).getCause();
        Throwable after = assertThrows(InvocationTargetException.class, () -> tried.after(-1)).getCause();
        assertEquals(before.toString(), after.toString());
    }

    @Test
    void arraysOfAllTypesAreKept() throws Exception {
        for (String type : new String[] {"[Z", "[C", "[F", "[D", "[B", "[S", "[J"}) {
            Tried tried = new Tried("reuse", KeptPrograms.class, "allTypes", type);
            isSame(tried, 3);
            assertEquals(3, tried.count());
        }
    }

    @Test
    void methodsOfTheJdkGetTheArray() throws Exception {
        Tried tried = array("read");
        byte[] input = "some text that is longer than one block, and that does not end with a whole block of the array".getBytes();
        for (int run = 0; run < 3; run++) {
            assertEquals(tried.before(new ByteArrayInputStream(input)), tried.after(new ByteArrayInputStream(input)));
        }
    }

    @Test
    void anArrayThatOtherCodeCanKeepStays() throws Exception {
        assertEquals("refused: the array leaves the method", array("returned").line());
        assertEquals("refused: the array leaves the method", array("storedInField").line());
        assertEquals("refused: the array leaves the method", array("captured").line());
        assertEquals("refused: the array leaves the method", array("inArray").line());
        assertEquals("refused: the array leaves the method: KeptPrograms.ownMethod gets it", array("passed").line());
        assertEquals("refused: the array leaves the method: ByteBuffer.wrap gets it", array("wrapped").line());
        assertEquals("refused: the method uses an earlier array of the same place later", array("earlier").line());
    }

    @Test
    void aBufferIsKeptAndBeginsLikeANewOne() throws Exception {
        isSame(buffer("written"), Tried.temporary());
        isSame(buffer("orders"));
        Tried tried = buffer("written");
        tried.after(Tried.temporary());
        BufferPoolMXBean direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter(pool -> pool.getName().equals("direct")).findFirst().orElseThrow();
        long before = direct.getCount();
        for (int run = 0; run < 10; run++) {
            tried.after(Tried.temporary());
        }
        assertTrue(direct.getCount() <= before, "ten new buffers would be there");
    }

    @Test
    void theCallersOfAFactoryCreateTheBuffer() throws Exception {
        Tried constant = new Tried("reuse", KeptPrograms.class, "space", "allocateDirect");
        assertEquals("changed", constant.line());
        Tried packed = constant.running("packed");
        isSame(packed, 7);
        isSame(packed, 8);
        Tried sized = new Tried("reuse", KeptPrograms.class, "space(I)Ljava/nio/ByteBuffer;", "allocateDirect").running("sized");
        isSame(sized, 100);
        isSame(sized, 10);
        assertEquals(6, sized.count());
    }

    @Test
    void aBufferThatOtherCodeCanKeepStays() throws Exception {
        assertEquals("refused: the buffer leaves the method", buffer("sliced").line());
        assertEquals("refused: the buffer leaves the method: ByteBuffer.asIntBuffer gets it", buffer("viewed").line());
        assertEquals("refused: the buffer leaves the method: AsynchronousFileChannel.write gets it", buffer("later").line());
    }
}
