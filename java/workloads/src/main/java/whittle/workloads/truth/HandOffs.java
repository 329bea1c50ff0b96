package whittle.workloads.truth;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Makes a known number of hand-offs of each kind. For each kind, one thread waits, and one thread ends the waits: {@code
 * pipe-waiter} and {@code pipe-waker}. The waker sleeps for more than a millisecond before each hand-off. So most of the
 * waiter's time is waiting, and its waits are long enough to be sampled.
 */
public final class HandOffs {
    private static final long PAUSE_NANOS = 1_100_000;
    /** A thread that waits for a monitor looks at it after a millisecond. So its last wait is as long as the others. */
    private static final long HOLD_NANOS = 2 * PAUSE_NANOS;

    /** Ends one wait, or waits once. */
    private interface Step {
        void run() throws Exception;
    }

    private final int count;
    private final List<Thread> threads = new ArrayList<>();
    private volatile Throwable failure;

    private HandOffs(int count) {
        this.count = count;
    }

    public static void main(String[] arguments) throws Exception {
        int count = 10_000;
        for (int i = 0; i < arguments.length; i += 2) {
            if (!arguments[i].equals("--count") || i + 1 == arguments.length) {
                System.err.println("usage: HandOffs [--count N]");
                System.exit(2);
            }
            count = Integer.parseInt(arguments[i + 1]);
        }
        HandOffs program = new HandOffs(count);
        program.monitor();
        program.lock();
        program.contendedMonitor();
        program.contendedLock();
        program.queue();
        program.pipe();
        program.socket();
        program.timer();
        for (Thread thread : program.threads) {
            thread.start();
        }
        for (Thread thread : program.threads) {
            thread.join();
        }
        if (program.failure != null) {
            program.failure.printStackTrace();
            System.exit(1);
        }
        System.out.println("hand_offs=" + count);
    }

    private void both(String kind, Step wait, Step wake) {
        add(kind + "-waiter", wait);
        add(kind + "-waker", () -> {
            LockSupport.parkNanos(PAUSE_NANOS);
            wake.run();
        });
    }

    private void add(String name, Step step) {
        threads.add(new Thread(() -> {
            try {
                for (int i = 0; i < count; i++) {
                    step.run();
                }
            } catch (Throwable thrown) {
                failure = thrown;
                thrown.printStackTrace();
                System.exit(1);
            }
        }, name));
    }

    private final Object monitor = new Object();
    private int monitorPermits;

    private void monitor() {
        both("monitor", this::waitForMonitor, this::notifyMonitor);
    }

    private void waitForMonitor() throws InterruptedException {
        synchronized (monitor) {
            while (monitorPermits == 0) {
                monitor.wait();
            }
            monitorPermits--;
        }
    }

    private void notifyMonitor() {
        synchronized (monitor) {
            monitorPermits++;
            monitor.notify();
        }
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition condition = lock.newCondition();
    private int lockPermits;

    private void lock() {
        both("lock", this::awaitCondition, this::signalCondition);
    }

    private void awaitCondition() throws InterruptedException {
        lock.lock();
        try {
            while (lockPermits == 0) {
                condition.await();
            }
            lockPermits--;
        } finally {
            lock.unlock();
        }
    }

    private void signalCondition() {
        lock.lock();
        try {
            lockPermits++;
            condition.signal();
        } finally {
            lock.unlock();
        }
    }

    /**
     * The waker takes a lock, and holds it until the waiter has waited for some time. {@code turn} counts the times that the waker
     * has taken the lock, and {@code seen} the times that the waiter had it.
     */
    private static final class Turns {
        private volatile int turn;
        private volatile int seen;

        /** The waiter: waits until the waker has the lock. */
        void awaitTurn() {
            while (turn == seen) {
                Thread.yield();
            }
        }

        /** The waker: waits until the waiter had the lock. */
        void awaitSeen() {
            while (seen != turn) {
                Thread.yield();
            }
        }
    }

    private final Object contended = new Object();
    private final Turns monitorTurns = new Turns();

    private void contendedMonitor() {
        add("contended-monitor-waiter", this::enterMonitor);
        add("contended-monitor-waker", () -> {
            monitorTurns.awaitSeen();
            holdMonitor();
        });
    }

    private void enterMonitor() {
        monitorTurns.awaitTurn();
        synchronized (contended) {
            monitorTurns.seen++;
        }
    }

    private void holdMonitor() {
        synchronized (contended) {
            monitorTurns.turn++;
            LockSupport.parkNanos(HOLD_NANOS);
        }
    }

    private final ReentrantLock contendedLock = new ReentrantLock();
    private final Turns lockTurns = new Turns();

    private void contendedLock() {
        add("contended-lock-waiter", this::enterLock);
        add("contended-lock-waker", () -> {
            lockTurns.awaitSeen();
            holdLock();
        });
    }

    private void enterLock() {
        lockTurns.awaitTurn();
        contendedLock.lock();
        try {
            lockTurns.seen++;
        } finally {
            contendedLock.unlock();
        }
    }

    private void holdLock() {
        contendedLock.lock();
        try {
            lockTurns.turn++;
            LockSupport.parkNanos(HOLD_NANOS);
        } finally {
            contendedLock.unlock();
        }
    }

    private final BlockingQueue<Integer> tasks = new LinkedBlockingQueue<>();

    private void queue() {
        both("queue", this::takeTask, this::putTask);
    }

    private void takeTask() throws InterruptedException {
        tasks.take();
    }

    private void putTask() throws InterruptedException {
        tasks.put(1);
    }

    private Pipe pipe;
    private final ByteBuffer readByte = ByteBuffer.allocateDirect(1);
    private final ByteBuffer writtenByte = ByteBuffer.allocateDirect(1);

    private void pipe() throws IOException {
        pipe = Pipe.open();
        both("pipe", this::readPipe, this::writePipe);
    }

    private void readPipe() throws IOException {
        readByte.clear();
        pipe.source().read(readByte);
    }

    private void writePipe() throws IOException {
        writtenByte.clear();
        pipe.sink().write(writtenByte);
    }

    private Socket reader;
    private Socket writer;

    private void socket() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            writer = new Socket(server.getInetAddress(), server.getLocalPort());
            writer.setTcpNoDelay(true);
            reader = server.accept();
        }
        both("socket", this::readSocket, this::writeSocket);
    }

    private void readSocket() throws IOException {
        if (reader.getInputStream().read() < 0) {
            throw new IOException("the connection has ended");
        }
    }

    private void writeSocket() throws IOException {
        writer.getOutputStream().write(1);
    }

    private void timer() {
        add("timer-sleeper", () -> Thread.sleep(1));
        add("timer-parker", () -> LockSupport.parkNanos(PAUSE_NANOS));
    }
}
