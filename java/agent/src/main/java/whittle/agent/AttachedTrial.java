package whittle.agent;

import java.io.File;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.util.concurrent.locks.ReentrantLock;
import java.whittle.trial.Places;
import whittle.agent.trial.RunningTrial;

/**
 * The trial in this JVM, if whittle has attached to it. There is at most one. It ends when whittle asks for its end, and also when
 * whittle no longer lives.
 *
 * <p>This class is public because the bootstrap loader loads it, and the system class loader loads {@link Agent}.
 */
public final class AttachedTrial {
    private static final ReentrantLock LOCK = new ReentrantLock();
    /** The rows before belong to a trial that has started with the JVM. */
    private static final int FIRST_ROW = Places.LIMIT / 2;
    private static AttachedTrial current;
    private static int nextRow = FIRST_ROW;

    private final File lock;
    private final RunningTrial trial;
    private final Watch watch;

    private AttachedTrial(Instrumentation instrumentation, File lock) throws IOException {
        this.lock = lock;
        // A method that is still inside the code of an earlier trial uses the rows of that trial.
        trial = new RunningTrial(new File(lock.getPath() + ".plan"), nextRow, instrumentation);
        watch = new Watch(lock, () -> { }, () -> { }, this::endIfCurrent);
    }

    /** Changes the classes of the plan. Fails if another whittle tries something in this JVM. */
    public static void start(Instrumentation instrumentation, File lock) throws IOException {
        LOCK.lock();
        try {
            if (current != null && !current.watch.isFree()) {
                throw new IllegalStateException("another whittle try changes this JVM");
            }
            endCurrent();
            AttachedTrial next = new AttachedTrial(instrumentation, lock);
            nextRow += next.trial.rows();
            current = next;
            next.begin();
        } finally {
            LOCK.unlock();
        }
    }

    /** Restores the classes. Does nothing if the trial with this file has ended. */
    public static void end(File lock) {
        LOCK.lock();
        try {
            if (current != null && current.lock.equals(lock)) {
                endCurrent();
            }
        } finally {
            LOCK.unlock();
        }
    }

    private void begin() {
        try {
            watch.start();
            trial.start();
        } catch (Throwable failure) {
            // Nothing stays changed.
            endCurrent();
            throw failure;
        }
    }

    /** On the thread that watches whittle. Another thread that holds the lock starts or ends a trial, and waits for this thread. */
    private void endIfCurrent() {
        if (LOCK.tryLock()) {
            try {
                if (current == this) {
                    endCurrent();
                }
            } finally {
                LOCK.unlock();
            }
        }
    }

    private static void endCurrent() {
        AttachedTrial ended = current;
        current = null;
        if (ended != null) {
            ended.watch.stop();
            ended.trial.end();
        }
    }
}
