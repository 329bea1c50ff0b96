package whittle.workloads.truth;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import whittle.workloads.Arguments;
import whittle.workloads.KernelFigures;
import whittle.workloads.Lines;
import whittle.workloads.WorkThread;
import whittle.workloads.truth.waits.Wait;
import whittle.workloads.truth.waits.Waits;

/**
 * Each thread waits again and again, always in the same way: for a monitor, a lock, a socket, a pipe, a selector, a clock or
 * a disk. With {@code --open-seconds}, all threads wait again at the end, and this wait ends only with the program.
 *
 * <p>See README.md for arguments and output.
 */
public final class Blocked {
    private final long durationNs;
    private final boolean isOpenAtEnd;
    private final List<Waiter> waiters = new ArrayList<>();

    private Blocked(long durationNs, boolean isOpenAtEnd) {
        this.durationNs = durationNs;
        this.isOpenAtEnd = isOpenAtEnd;
    }

    public static void main(String[] args) throws Exception {
        Arguments arguments = Arguments.read(args, "seconds", "wait-ms", "kinds", "open-seconds", "dir");
        long pauseMs = arguments.count("wait-ms", 20);
        Path directory = Path.of(arguments.text("dir", System.getProperty("java.io.tmpdir")));
        double openSeconds = arguments.number("open-seconds", 0, 0, 86_400);
        Blocked program = new Blocked(arguments.secondsAsNanos(3), openSeconds > 0);
        for (String kind : arguments.text("kinds", Waits.ALL).split(",")) {
            program.add(kind, pauseMs, directory);
        }
        for (Waiter waiter : program.waiters) {
            waiter.thread.startDaemon();
        }
        for (Waiter waiter : program.waiters) {
            waiter.printResults();
        }
        Thread.sleep((long) (openSeconds * 1000));
        program.waiters.forEach(Waiter::printOpenWait);
        // The program ends even if threads still wait.
        System.exit(0);
    }

    private void add(String kind, long pauseMs, Path directory) throws Exception {
        Wait wait;
        try {
            wait = Waits.ofKind(kind, pauseMs, directory);
        } catch (IOException | UnsupportedOperationException e) {
            Lines.print("unavailable=blocked-%s because %s", kind, e);
            return;
        }
        if (wait == null) {
            throw Arguments.refuse("--kinds wants some of " + Waits.ALL + ", found '" + kind + "'");
        }
        wait.start();
        waiters.add(new Waiter(wait));
    }

    /** A waiting thread and its results. */
    private final class Waiter {
        private final Wait wait;
        private final WorkThread thread;
        private long waitCount;
        private long waitedNs;
        private long longestNs;
        private long wallNs;
        private KernelFigures kernel;
        private final CountDownLatch measured = new CountDownLatch(1);
        /** Start of the open wait; 0: it has not begun. */
        private volatile long openSinceNs;

        Waiter(Wait wait) {
            this.wait = wait;
            thread = new WorkThread("blocked-" + wait.name(), this::work);
        }

        private void work() throws Exception {
            KernelFigures start = KernelFigures.start();
            long startNs = System.nanoTime();
            while (System.nanoTime() - startNs < durationNs) {
                waitAndMeasure();
            }
            wallNs = System.nanoTime() - startNs;
            kernel = start.sinceStart();
            boolean staysOpen = isOpenAtEnd && wait.canStayOpen();
            openSinceNs = staysOpen ? System.nanoTime() : 0;
            measured.countDown();
            if (staysOpen) {
                wait.stopEnding();
                while (true) {
                    wait.waitOnce();
                }
            }
        }

        private void waitAndMeasure() throws Exception {
            long startNs = System.nanoTime();
            wait.waitOnce();
            long ns = System.nanoTime() - startNs;
            waitCount++;
            waitedNs += ns;
            longestNs = Math.max(longestNs, ns);
        }

        private void printResults() throws InterruptedException {
            measured.await();
            Lines.print("thread=%s reason=%s waits=%d waited_ns=%d longest_ns=%d wall_ns=%d cpu_ns=%d run_queue_ns=%s",
                    thread.name(), wait.reason(), waitCount, waitedNs, longestNs, wallNs, kernel.cpu().cpuNs(),
                    KernelFigures.text(kernel.runQueueNs()));
        }

        private void printOpenWait() {
            if (openSinceNs != 0) {
                Lines.print("open_thread=%s open_ns=%d", thread.name(), System.nanoTime() - openSinceNs);
            }
        }
    }
}
