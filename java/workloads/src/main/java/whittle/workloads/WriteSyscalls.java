package whittle.workloads;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The kernel's own count of write system calls (write, pwrite, writev, ...) of the current thread.
 *
 * <p>Needs a kernel with task I/O accounting; without it the count is {@link #UNAVAILABLE}.
 */
public final class WriteSyscalls {
    public static final long UNAVAILABLE = -1;

    private static final Path THREAD_IO = Path.of("/proc/thread-self/io");
    private static final String KEY = "syscw: ";

    private WriteSyscalls() {}

    /** Counted since the thread's start, or {@link #UNAVAILABLE}. */
    public static long countOfCurrentThread() {
        try {
            for (String line : Files.readAllLines(THREAD_IO)) {
                if (line.startsWith(KEY)) {
                    return Long.parseLong(line.substring(KEY.length()));
                }
            }
        } catch (IOException e) {
            // A kernel without the file, or one that does not let us read it: the same answer.
        }
        return UNAVAILABLE;
    }

    /** Counted between two readings, as text; "unavailable" when either is missing. */
    public static String differenceText(long startCount, long endCount) {
        boolean isKnown = startCount != UNAVAILABLE && endCount != UNAVAILABLE;
        return isKnown ? Long.toString(endCount - startCount) : "unavailable";
    }
}
