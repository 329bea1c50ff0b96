package whittle.workloads.truth;

import java.util.ArrayList;
import java.util.List;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.Semaphore;
import whittle.workloads.Arguments;
import whittle.workloads.KernelFigures;
import whittle.workloads.Lines;
import whittle.workloads.WorkThread;
import whittle.workloads.truth.meanings.Way;
import whittle.workloads.truth.meanings.Ways;

/**
 * Each thread waits again and again for one purpose: a queue, the result of another thread, a permit, work. The program
 * prints how long each thread waited.
 *
 * <p>See README.md for arguments and output.
 */
public final class Meanings {
    private static final long PAUSE_MS = 20;

    private Meanings() {}

    public static void main(String[] args) throws Exception {
        Arguments arguments = Arguments.read(args, "seconds");
        long endNs = System.nanoTime() + arguments.secondsAsNanos(3);
        List<Waiter> waiters = new ArrayList<>();
        for (Way way : Ways.all()) {
            waiters.add(start(way, endNs));
        }
        List<Gaps> idle = List.of(idlePool(), idleForkJoin(), idleTimer());
        for (Waiter waiter : waiters) {
            waiter.end.await();
            print(waiter.way.thread(), waiter.way.meaning(), waiter.waitedNs, waiter.kernel);
        }
        for (Gaps gaps : idle) {
            gaps.print();
        }
        // Threads of pools have no end.
        System.exit(0);
    }

    private static void print(String thread, String meaning, long waitedNs, KernelFigures kernel) {
        Lines.print("thread=%s meaning=%s waited_ns=%d run_queue_ns=%s", thread, meaning, waitedNs,
                KernelFigures.text(kernel.runQueueNs()));
    }

    /** A thread that waits, and its results. */
    private static final class Waiter {
        private final Way way;
        private final CountDownLatch end = new CountDownLatch(1);
        private long waitedNs;
        private KernelFigures kernel;

        Waiter(Way way) {
            this.way = way;
        }
    }

    /** Starts the thread that waits, and a thread that ends each of its waits after a pause. */
    private static Waiter start(Way way, long endNs) {
        Waiter waiter = new Waiter(way);
        Semaphore hasBegun = new Semaphore(0);
        new WorkThread("ender-" + way.thread(), () -> {
            while (true) {
                hasBegun.acquire();
                Thread.sleep(PAUSE_MS);
                way.end();
            }
        }).startDaemon();
        new WorkThread(way.thread(), () -> {
            KernelFigures start = KernelFigures.start();
            while (System.nanoTime() < endNs) {
                way.prepare();
                hasBegun.release();
                long startNs = System.nanoTime();
                way.waitOnce();
                waiter.waitedNs += System.nanoTime() - startNs;
            }
            waiter.kernel = start.sinceStart();
            waiter.end.countDown();
        }).startDaemon();
        return waiter;
    }

    /** The time that a thread without work waits between two jobs. */
    private static final class Gaps {
        private final String thread;
        private long waitedNs;
        private long lastEndNs;
        private KernelFigures start;
        private KernelFigures kernel;

        Gaps(String thread) {
            this.thread = thread;
        }

        synchronized void job() {
            long nowNs = System.nanoTime();
            if (start == null) {
                start = KernelFigures.start();
            } else {
                waitedNs += nowNs - lastEndNs;
                kernel = start.sinceStart();
            }
            lastEndNs = System.nanoTime();
        }

        synchronized void print() {
            Meanings.print(thread, "idle", waitedNs, kernel);
        }
    }

    private static Gaps idlePool() {
        Gaps gaps = new Gaps("idle-pool");
        var pool = Executors.newFixedThreadPool(1, task -> daemon(new Thread(task, "idle-pool")));
        feed("ender-idle-pool", () -> pool.execute(gaps::job));
        return gaps;
    }

    private static Gaps idleForkJoin() {
        Gaps gaps = new Gaps("idle-fork-join");
        ForkJoinPool.ForkJoinWorkerThreadFactory threads = pool -> {
            ForkJoinWorkerThread thread = ForkJoinPool.defaultForkJoinWorkerThreadFactory.newThread(pool);
            thread.setName("idle-fork-join");
            return thread;
        };
        ForkJoinPool pool = new ForkJoinPool(1, threads, null, true);
        feed("ender-idle-fork-join", () -> pool.execute(gaps::job));
        return gaps;
    }

    private static Gaps idleTimer() {
        Gaps gaps = new Gaps("idle-timer");
        new Timer("idle-timer", true).schedule(new TimerTask() {
            @Override
            public void run() {
                gaps.job();
            }
        }, PAUSE_MS, PAUSE_MS);
        return gaps;
    }

    private static void feed(String name, Runnable next) {
        new WorkThread(name, () -> {
            while (true) {
                next.run();
                Thread.sleep(PAUSE_MS);
            }
        }).startDaemon();
    }

    private static Thread daemon(Thread thread) {
        thread.setDaemon(true);
        return thread;
    }
}
