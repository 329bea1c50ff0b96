package java.whittle.trial;

import java.io.FileDescriptor;
import java.io.Flushable;
import java.io.IOException;
import java.io.SyncFailedException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;

/** Calls that are left out, made less often, or replaced. */
public final class Calls {
    private static final int EVERY = 16;
    private static final long SLEEP_NS = 100_000;
    /** With the kernel's timer slack of 0.05 ms, a sleep that is not woken ends earlier, unless the thread waits for a CPU. */
    private static final long LATE_NS = 3 * SLEEP_NS;
    /** By place. */
    private static final AtomicReferenceArray<Waiting> WAITING = new AtomicReferenceArray<>(Places.LIMIT);

    private Calls() {
    }

    /** Instead of `System.gc()`. */
    public static void skipGc(int place) {
        Places.count(place);
    }

    /** Instead of `gc()` of the runtime. */
    public static void skipGc(Runtime runtime, int place) {
        runtime.getClass();
        Places.count(place);
    }

    /** Makes every sixteenth call on the same stream. Remembers the stream, because the program can rely on this call at its end. */
    public static void flush(Flushable stream, int place) throws IOException {
        stream.getClass();
        Places.count(place);
        if (waiting(place).isTurn(stream, EVERY)) {
            stream.flush();
        }
    }

    /** Whether a new stream flushes each line: no. */
    public static boolean withoutFlush(boolean isFlushing, int place) {
        if (isFlushing) {
            Places.count(place);
        } else {
            Places.refuse(place, "the stream has no automatic flush");
        }
        return false;
    }

    /** Remembers a new stream that does not flush its lines, because the program can rely on this at its end. */
    public static void flushAtEnd(Flushable stream, int place) {
        waiting(place).isTurn(stream, Integer.MAX_VALUE);
    }

    private static Waiting waiting(int place) {
        Waiting waiting = WAITING.get(place);
        if (waiting == null) {
            WAITING.compareAndSet(place, null, new Waiting());
            waiting = WAITING.get(place);
        }
        return waiting;
    }

    /** Makes the calls that a place has left out. */
    public static void flushWaiting(int place) {
        Waiting waiting = WAITING.get(place);
        if (waiting != null) {
            waiting.flush();
        }
    }

    /** Makes every sixteenth call. */
    public static void force(FileChannel channel, boolean hasMetadata, int place) throws IOException {
        if (isTurn(channel, place)) {
            channel.force(hasMetadata);
        }
    }

    /** Makes every sixteenth call. */
    public static MappedByteBuffer force(MappedByteBuffer buffer, int place) {
        return isTurn(buffer, place) ? buffer.force() : buffer;
    }

    /** Makes every sixteenth call. */
    public static void sync(FileDescriptor file, int place) throws SyncFailedException {
        if (isTurn(file, place)) {
            file.sync();
        }
    }

    /**
     * Instead of `Thread.onSpinWait()` and `Thread.yield()`. These leave a wake-up (`unpark`) for a later `park`. A sleep takes it, so it
     * gives it back at its end. A sleep that ends late does not know what ended it. It gives a wake-up, because `park` may return
     * without a reason.
     */
    public static void sleep(int place) {
        long begin = System.nanoTime();
        LockSupport.parkNanos(SLEEP_NS);
        long sleptNs = System.nanoTime() - begin;
        boolean isWoken = sleptNs < SLEEP_NS || sleptNs > LATE_NS;
        Thread sleeper = Thread.currentThread();
        while (sleptNs < SLEEP_NS && !sleeper.isInterrupted()) {
            LockSupport.parkNanos(SLEEP_NS - sleptNs);
            sleptNs = System.nanoTime() - begin;
        }
        // The first count writes a report, which can also take a wake-up.
        Places.count(place);
        if (isWoken) {
            LockSupport.unpark(sleeper);
        }
    }

    /** Instead of `LockSupport.parkNanos`. A thread that is woken with `unpark` goes on at once, as before. */
    public static void park(long timeNs, int place) {
        if (timeNs > 0 && timeNs < SLEEP_NS) {
            Places.count(place);
            LockSupport.parkNanos(SLEEP_NS);
        } else {
            Places.refuse(place, "the thread does not wait, or it waits for 0.1 ms or longer");
            LockSupport.parkNanos(timeNs);
        }
    }

    /** The fastest level that compresses. Level 0 does not compress, and stays. */
    public static int fastestLevel(int level, int place) {
        Places.count(place);
        return level == Deflater.NO_COMPRESSION ? level : Deflater.BEST_SPEED;
    }

    /** The compressor that a new stream has created gets the fastest level. */
    public static void fastestOfStream(DeflaterOutputStream stream, int place) {
        Deflater compressor = Fields.compressor(stream);
        if (compressor == null) {
            Places.refuse(place, "this JVM does not show the compressor of a stream");
            return;
        }
        compressor.setLevel(fastestLevel(Deflater.DEFAULT_COMPRESSION, place));
    }

    private static boolean isTurn(Object receiver, int place) {
        receiver.getClass();
        Places.count(place);
        return Places.counted(place) % EVERY == 0;
    }
}
