package whittle.workloads.truth;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import whittle.workloads.Arguments;
import whittle.workloads.CpuBurner;
import whittle.workloads.Lines;
import whittle.workloads.WorkThread;

/**
 * Checks how long waits with a timeout last. A profiler's signals must not end a wait early, must not make it longer, and
 * must not make a system call fail.
 *
 * <p>Each kind of wait has a thread. The thread burns a little CPU before each wait, so that it gets signals. See README.md
 * for arguments and output.
 */
public final class SocketTimeouts {
    /** A wait can end this much too early, because clocks differ and some waits accept only whole milliseconds. */
    private static final long EARLY_TOLERANCE_NS = 1_000_000;

    private final long durationNs;
    private final long timeoutMs;
    private final long burnNs;
    private final long toleranceNs;

    private SocketTimeouts(Arguments arguments) {
        durationNs = arguments.secondsAsNanos(4);
        timeoutMs = arguments.count("timeout-ms", 20);
        burnNs = arguments.count("burn-us", 2000) * 1000;
        toleranceNs = arguments.count("tolerance-ms", 500) * 1_000_000;
    }

    public static void main(String[] args) throws Exception {
        Arguments arguments = Arguments.read(args, "seconds", "timeout-ms", "burn-us", "tolerance-ms");
        SocketTimeouts program = new SocketTimeouts(arguments);
        List<TimedWaits> kinds = program.kinds();
        kinds.forEach(kind -> kind.thread.start());
        for (TimedWaits kind : kinds) {
            kind.thread.join();
        }
        kinds.forEach(TimedWaits::printResults);
        long failures = kinds.stream().mapToLong(kind -> kind.earlyCount + kind.lateCount + kind.errorCount).sum();
        long worstNs = kinds.stream().mapToLong(kind -> kind.worstLateNs).max().orElse(0);
        Lines.print("failures=%d worst_late_ms=%.3f", failures, worstNs / 1e6);
        System.exit(failures == 0 ? 0 : 1);
    }

    /** Waits until its timeout has passed. */
    private interface TimedWait {
        void waitUntilTimeout() throws Exception;
    }

    private List<TimedWaits> kinds() throws IOException {
        ArrayBlockingQueue<Object> queue = new ArrayBlockingQueue<>(1);
        Object monitor = new Object();
        return List.of(
                new TimedWaits("sleep", () -> Thread.sleep(timeoutMs)),
                new TimedWaits("park", this::park),
                new TimedWaits("monitor-wait", () -> waitFor(monitor)),
                new TimedWaits("queue-poll", () -> queue.poll(timeoutMs, TimeUnit.MILLISECONDS)),
                new TimedWaits("socket-read", socketRead()),
                new TimedWaits("accept", accept()),
                new TimedWaits("datagram-receive", datagramReceive()),
                new TimedWaits("select", select()));
    }

    /** By specification, parking and waiting can end without a reason. Then they are continued. */
    private void park() {
        long endNs = System.nanoTime() + timeoutMs * 1_000_000;
        for (long leftNs; (leftNs = endNs - System.nanoTime()) > 0; ) {
            LockSupport.parkNanos(leftNs);
        }
    }

    private void waitFor(Object monitor) throws InterruptedException {
        long endNs = System.nanoTime() + timeoutMs * 1_000_000;
        synchronized (monitor) {
            for (long leftNs; (leftNs = endNs - System.nanoTime()) > 0; ) {
                TimeUnit.NANOSECONDS.timedWait(monitor, leftNs);
            }
        }
    }

    private TimedWait socketRead() throws IOException {
        ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket socket = new Socket(server.getInetAddress(), server.getLocalPort());
        socket.setSoTimeout((int) timeoutMs);
        return () -> expectTimeout(() -> socket.getInputStream().read());
    }

    private TimedWait accept() throws IOException {
        ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        server.setSoTimeout((int) timeoutMs);
        return () -> expectTimeout(server::accept);
    }

    private TimedWait datagramReceive() throws IOException {
        DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        socket.setSoTimeout((int) timeoutMs);
        DatagramPacket packet = new DatagramPacket(new byte[1], 1);
        return () -> expectTimeout(() -> socket.receive(packet));
    }

    private TimedWait select() throws IOException {
        Selector selector = Selector.open();
        Pipe pipe = Pipe.open();
        pipe.source().configureBlocking(false);
        pipe.source().register(selector, SelectionKey.OP_READ);
        return () -> {
            if (selector.select(timeoutMs) != 0) {
                throw new IOException("a channel is ready to which nobody wrote");
            }
        };
    }

    private static void expectTimeout(TimedWait call) throws Exception {
        try {
            call.waitUntilTimeout();
        } catch (SocketTimeoutException e) {
            return;
        }
        throw new IOException("the call ended without a timeout");
    }

    /** The waits of one kind. */
    private final class TimedWaits {
        private final String kind;
        private final TimedWait wait;
        private final WorkThread thread;
        // Results. They are read after the thread has ended.
        private long callCount;
        private long earlyCount;
        private long lateCount;
        private long errorCount;
        private long worstLateNs;

        TimedWaits(String kind, TimedWait wait) {
            this.kind = kind;
            this.wait = wait;
            thread = new WorkThread("timeout-" + kind, this::work);
        }

        private void work() {
            long endNs = System.nanoTime() + durationNs;
            while (System.nanoTime() < endNs) {
                CpuBurner.burn(burnNs);
                callCount++;
                try {
                    waitAndCheck();
                } catch (Exception e) {
                    errorCount++;
                    e.printStackTrace();
                }
            }
        }

        private void waitAndCheck() throws Exception {
            long startNs = System.nanoTime();
            wait.waitUntilTimeout();
            long lateNs = System.nanoTime() - startNs - timeoutMs * 1_000_000;
            worstLateNs = Math.max(worstLateNs, lateNs);
            earlyCount += lateNs < -EARLY_TOLERANCE_NS ? 1 : 0;
            lateCount += lateNs > toleranceNs ? 1 : 0;
        }

        private void printResults() {
            Lines.print("kind=%s calls=%d early=%d late=%d errors=%d worst_late_ms=%.3f",
                    kind, callCount, earlyCount, lateCount, errorCount, worstLateNs / 1e6);
        }
    }
}
