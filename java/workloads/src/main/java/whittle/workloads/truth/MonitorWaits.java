package whittle.workloads.truth;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import whittle.workloads.Arguments;

/**
 * Virtual threads that wait for two monitors, one of which is held much longer, and measure their waits. JDK 21 and later.
 *
 * <p>The waits for both monitors overlap on the same carriers. See README.md for arguments and output.
 */
public final class MonitorWaits {
    /** After this time, each waiting thread has had the monitor. */
    private static final long FREE_MILLIS = 5;
    /** The profiler reports only longer waits. */
    private static final long LEAST_NANOS = 1_000_000;

    private final AtomicLong running = new AtomicLong();

    private MonitorWaits() {}

    public static void main(String[] args) throws Exception {
        Arguments arguments = Arguments.read(args, "threads", "seconds", "delay");
        Thread.sleep(arguments.count("delay", 1) * 1000);
        new MonitorWaits().run(arguments.count("threads", 10), arguments.count("seconds", 5));
    }

    private void run(long threads, long seconds) throws Exception {
        List<Waiting> kinds = List.of(new ShortWait(), new LongWait());
        long end = System.nanoTime() + seconds * 1_000_000_000;
        running.set(threads * kinds.size());
        List<Thread> all = new ArrayList<>();
        // The program is compiled for JDK 17, which has no virtual threads.
        var start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        for (Waiting kind : kinds) {
            Thread holder = new Thread(() -> hold(kind), "holder");
            holder.start();
            all.add(holder);
            for (long thread = 0; thread < threads; thread++) {
                all.add((Thread) start.invoke(null, (Runnable) () -> {
                    while (System.nanoTime() < end) {
                        measure(kind);
                    }
                    running.decrementAndGet();
                }));
            }
        }
        for (Thread thread : all) {
            thread.join();
        }
        for (Waiting kind : kinds) {
            System.out.println("wait=" + kind.name + " count=" + kind.count + " waited_ns=" + kind.waitedNanos
                + " short_ns=" + kind.shortNanos);
        }
    }

    private void hold(Waiting kind) {
        while (running.get() > 0) {
            synchronized (kind) {
                pause(kind.holdMillis);
            }
            pause(FREE_MILLIS);
        }
    }

    private static void measure(Waiting kind) {
        pause(1);
        long start = System.nanoTime();
        long waited = kind.enter() - start;
        if (waited < LEAST_NANOS) {
            kind.shortNanos.addAndGet(waited);
        } else {
            kind.count.incrementAndGet();
            kind.waitedNanos.addAndGet(waited);
        }
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    /** A monitor that the holder holds for some time, and the waits for it. */
    private abstract static class Waiting {
        final String name;
        final long holdMillis;
        final AtomicLong count = new AtomicLong();
        final AtomicLong waitedNanos = new AtomicLong();
        final AtomicLong shortNanos = new AtomicLong();

        Waiting(String name, long holdMillis) {
            this.name = name;
            this.holdMillis = holdMillis;
        }

        /** Returns the time at which the thread has the monitor. */
        abstract long enter();
    }

    private static final class ShortWait extends Waiting {
        ShortWait() {
            super("short", 10);
        }

        @Override
        long enter() {
            synchronized (this) {
                return System.nanoTime();
            }
        }
    }

    private static final class LongWait extends Waiting {
        LongWait() {
            super("long", 150);
        }

        @Override
        long enter() {
            synchronized (this) {
                return System.nanoTime();
            }
        }
    }
}
