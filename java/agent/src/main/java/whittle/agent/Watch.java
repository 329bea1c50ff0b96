package whittle.agent;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.whittle.Loss;

/** The agent's thread. It watches a file that whittle locks while it lives, and looks for new classes. */
final class Watch {
    private static final long PERIOD_NS = TimeUnit.SECONDS.toNanos(1);
    /** How often, and how long, the thread looks for a class that was being loaded. */
    private static final long SEARCH_NS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LOADING_NS = TimeUnit.SECONDS.toNanos(2);

    private final File file;
    private final FileChannel channel;
    private final Runnable search;
    private final Runnable everySecond;
    private final Runnable whenFree;
    private final Thread thread;
    private volatile boolean isStopped;
    private volatile long searchUntil = System.nanoTime();

    /** `search` looks for new classes. `whenFree` is called when whittle has ended, otherwise `everySecond`. */
    Watch(File file, Runnable search, Runnable everySecond, Runnable whenFree) throws IOException {
        this.file = file;
        this.search = search;
        this.everySecond = everySecond;
        this.whenFree = whenFree;
        channel = FileChannel.open(file.toPath(), StandardOpenOption.READ);
        thread = new Thread(null, this::run, "whittle-agent", 0);
        thread.setDaemon(true);
        thread.setContextClassLoader(null);
    }

    void start() {
        thread.start();
    }

    /** A class with a site is being loaded. */
    void hurry() {
        searchUntil = System.nanoTime() + LOADING_NS;
        LockSupport.unpark(thread);
    }

    /** Stops the thread and waits until it has ended, unless the thread calls this method itself. */
    void stop() {
        isStopped = true;
        if (thread != Thread.currentThread()) {
            LockSupport.unpark(thread);
            join();
        }
        close();
    }

    private void run() {
        long lastCheck = System.nanoTime();
        while (!isStopped) {
            LockSupport.parkNanos(this, isSearching() ? SEARCH_NS : PERIOD_NS);
            if (isSearching()) {
                tryTo(search);
            }
            if (System.nanoTime() - lastCheck >= PERIOD_NS) {
                lastCheck = System.nanoTime();
                tryTo(isFree() ? whenFree : everySecond);
            }
        }
    }

    /** The thread continues after any failure, also if the heap is full: otherwise, nobody would notice that whittle has ended. */
    private static void tryTo(Runnable work) {
        try {
            work.run();
        } catch (Throwable failure) {
            Loss.FAILED_CALL.count();
        }
    }

    private boolean isSearching() {
        return System.nanoTime() - searchUntil < 0;
    }

    /** The kernel releases whittle's lock when whittle ends. Whittle deletes the file after it has stopped the agent. */
    boolean isFree() {
        if (!file.exists()) {
            return true;
        }
        try (FileLock lock = channel.tryLock(0, Long.MAX_VALUE, true)) {
            return lock != null;
        } catch (IOException | RuntimeException notKnown) {
            return false;
        }
    }

    private void join() {
        try {
            thread.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void close() {
        try {
            channel.close();
        } catch (IOException ignored) {
            // The file was only read.
        }
    }
}
