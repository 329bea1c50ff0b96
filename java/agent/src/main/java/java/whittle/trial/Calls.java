package java.whittle.trial;

import java.io.FileDescriptor;
import java.io.Flushable;
import java.io.IOException;
import java.io.SyncFailedException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.locks.LockSupport;

/** Calls that are left out, made less often, or replaced. */
public final class Calls {
    private static final int EVERY = 16;
    private static final long SLEEP_NS = 100_000;

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

    /** Makes every sixteenth call. */
    public static void flush(Flushable stream, int place) throws IOException {
        if (isTurn(stream, place)) {
            stream.flush();
        }
    }

    /** Makes every sixteenth call. Such streams throw no exception. */
    public static void flushQuietly(Flushable stream, int place) {
        if (isTurn(stream, place)) {
            try {
                stream.flush();
            } catch (IOException impossible) {
                throw new IllegalStateException(impossible);
            }
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

    /** Instead of `Thread.onSpinWait()` and `Thread.yield()`. */
    public static void sleep(int place) {
        Places.count(place);
        LockSupport.parkNanos(SLEEP_NS);
    }

    /** One compressor level lower, but at least 1. Level 0 does not compress. -1 means the default, which is 6. */
    public static int lower(int level, int place) {
        Places.count(place);
        if (level == -1) {
            return 5;
        }
        return level > 1 ? level - 1 : level;
    }

    private static boolean isTurn(Object receiver, int place) {
        receiver.getClass();
        Places.count(place);
        return Places.counted(place) % EVERY == 0;
    }
}
