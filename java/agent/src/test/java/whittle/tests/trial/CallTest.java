package whittle.tests.trial;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.whittle.trial.Calls;
import java.whittle.trial.Fields;
import java.whittle.trial.Places;
import org.junit.jupiter.api.Test;

/** Calls that are left out, made less often, or replaced. */
final class CallTest {
    private static Tried tried(String remedy, String method, String target) throws Exception {
        return new Tried(remedy, SmallPrograms.class, method, target);
    }

    /** Counts calls of `flush`. */
    private static final class Flushed extends ByteArrayOutputStream {
        int count;

        @Override
        public void flush() throws IOException {
            count++;
            super.flush();
        }
    }

    @Test
    void everySixteenthFlushIsMadeAndTheLastOneAtTheEnd() throws Exception {
        Tried tried = tried("rarer-flush", "flushes", "flush");
        Flushed out = new Flushed();
        tried.after(out);
        assertEquals(2, out.count);
        assertEquals(40, out.size());
        assertEquals(40, tried.count());
        Flushed other = new Flushed();
        tried.after(other);
        assertEquals(2, other.count);
        Calls.flushWaiting(tried.number);
        Calls.flushWaiting(tried.number);
        assertEquals(3, out.count);
        assertEquals(3, other.count);
    }

    @Test
    void linesAreFlushedAtTheEnd() throws Exception {
        Tried tried = tried("no-autoflush", "lines", "PrintWriter");
        ByteArrayOutputStream before = new ByteArrayOutputStream();
        tried.before(before);
        Flushed out = new Flushed();
        // The test keeps the writer, as the program does.
        Object writer = tried.after(out);
        assertEquals(0, out.size());
        Calls.flushWaiting(tried.number);
        assertEquals(before.toString(), out.toString());
        assertEquals(1, tried.count());
        assertEquals(1, out.count, writer.toString());
        Tried unflushed = tried("no-autoflush", "unflushedLines", "PrintWriter");
        unflushed.after(out);
        assertEquals("the stream has no automatic flush", Places.refused(unflushed.number));
    }

    /** A stream that finds no room is flushed as usual. */
    @Test
    void noFlushOfManyStreamsIsLost() throws Exception {
        Tried tried = tried("rarer-flush", "flushesOnce", "flush");
        Flushed[] streams = new Flushed[5000];
        for (int index = 0; index < streams.length; index++) {
            streams[index] = new Flushed();
            tried.after(streams[index]);
        }
        Calls.flushWaiting(tried.number);
        for (Flushed stream : streams) {
            assertEquals(1, stream.count);
        }
    }

    @Test
    void forcesAreRarer() throws Exception {
        Tried tried = tried("rarer-force", "forces", "force");
        assertEquals(tried.before(Tried.temporary()), tried.after(Tried.temporary()));
        assertEquals(1, tried.count());
    }

    @Test
    void collectionsAreLeftOut() throws Exception {
        tried("no-gc", "collect", "gc").after();
        Tried tried = tried("no-gc", "collectByRuntime", "gc");
        tried.after(false);
        InvocationTargetException thrown = assertThrows(InvocationTargetException.class, () -> tried.after(true));
        assertSame(NullPointerException.class, thrown.getCause().getClass());
        assertEquals(1, tried.count());
    }

    @Test
    void aLoopThatSpinsSleeps() throws Exception {
        Tried tried = tried("sleep-in-spin", "spins", "onSpinWait");
        long begin = System.nanoTime();
        assertEquals(20, tried.after());
        assertTrue(System.nanoTime() - begin >= TimeUnit.MILLISECONDS.toNanos(1));
        assertEquals(20, tried.count());
    }

    /** A spinning thread leaves the wake-up for its next `park`. */
    @Test
    void aSleepLeavesTheWakeUp() throws Exception {
        Tried tried = tried("sleep-in-spin", "spins", "onSpinWait");
        LockSupport.unpark(Thread.currentThread());
        long begin = System.nanoTime();
        assertEquals(20, tried.after());
        assertTrue(System.nanoTime() - begin >= TimeUnit.MILLISECONDS.toNanos(1));
        begin = System.nanoTime();
        LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(5));
        assertTrue(System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(2));
    }

    @Test
    void aThreadParksForLongerButNotIfItWaitsAnyway() throws Exception {
        Tried tried = tried("sleep-in-spin", "parks", "parkNanos");
        long begin = System.nanoTime();
        for (int count = 0; count < 20; count++) {
            tried.after(20L);
        }
        assertTrue(System.nanoTime() - begin >= TimeUnit.MILLISECONDS.toNanos(1));
        assertEquals(20, tried.count());
        assertEquals(null, Places.refused(tried.number));
        tried.after(0L);
        tried.after(TimeUnit.MILLISECONDS.toNanos(1));
        assertEquals(20, tried.count());
        assertEquals("the thread does not wait, or it waits for 0.1 ms or longer", Places.refused(tried.number));
    }

    @Test
    void theLevelIsTheFastestThatCompresses() throws Exception {
        int[][] levels = {{-1, 1}, {0, 0}, {1, 1}, {2, 1}, {9, 1}};
        for (int[] level : levels) {
            assertEquals(level[1], Calls.fastestLevel(level[0], 0));
        }
        for (boolean isWithoutHeader : new boolean[] {true, false}) {
            assertEquals(500, tried("fastest-level", "lowered", "Deflater").after(6, isWithoutHeader));
        }
        assertEquals(500, tried("fastest-level", "loweredDefault", "Deflater").after());
        assertEquals(500, tried("fastest-level", "setLevel", "Deflater").after());
        assertEquals(500, tried("fastest-level", "setLevel", "setLevel").after());
    }

    @Test
    void aStreamThatCreatesItsCompressorHasTheFastestLevel() throws Exception {
        Fields.find();
        byte[] bytes = new byte[100_000];
        for (int index = 0; index < bytes.length; index++) {
            bytes[index] = (byte) (index % 251 * (index / 3000) % 97);
        }
        Tried zipped = tried("fastest-level", "zipped", "GZIPOutputStream");
        int before = (Integer) zipped.before((Object) bytes);
        int after = (Integer) zipped.after((Object) bytes);
        assertTrue(before > 0 && after > 0 && before != after, before + " " + after);
        assertEquals("refused: the program creates the compressor of the stream",
            tried("fastest-level", "zippedByOwn", "DeflaterOutputStream").line());
    }

    @Test
    void otherCallsAreRefused() throws Exception {
        assertEquals("refused: whittle cannot replace a call of java.io.OutputStream.write", tried("rarer-flush", "flushes", "write").line());
        assertEquals("refused: the instruction is not a call", tried("no-gc", "linked", "LinkedList").line());
    }
}
