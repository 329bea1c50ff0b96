package whittle.workloads.truth.meanings;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** All ways to wait of the program {@code Meanings}, but those of threads without work. */
public final class Ways {
    private static final long PAUSE_MS = 20;

    private Ways() {}

    public static List<Way> all() throws IOException {
        return List.of(new Sleep(), new TimedPark(), new Park(), new OnCondition(), new OnObject(), new OnQueue(), new OnFuture(),
                new OnLatch(), new OnJoin(), new OnPermit(), new OnAccept(), new OnProcess());
    }

    private static final class Sleep extends Way {
        Sleep() {
            super("sleep", "sleep");
        }

        @Override
        public void waitOnce() throws InterruptedException {
            Thread.sleep(PAUSE_MS);
        }
    }

    private static final class TimedPark extends Way {
        TimedPark() {
            super("timed-park", "timed_park");
        }

        @Override
        public void waitOnce() {
            LockSupport.parkNanos(PAUSE_MS * 1_000_000);
        }
    }

    private static final class Park extends Way {
        private volatile Thread waiting;
        private volatile boolean isEnded;

        Park() {
            super("park", "park");
        }

        @Override
        public void prepare() {
            waiting = Thread.currentThread();
            isEnded = false;
        }

        @Override
        public void waitOnce() {
            while (!isEnded) {
                LockSupport.park();
            }
        }

        @Override
        public void end() {
            isEnded = true;
            LockSupport.unpark(waiting);
        }
    }

    private static final class OnCondition extends Way {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition condition = lock.newCondition();
        private boolean isEnded;

        OnCondition() {
            super("condition", "condition");
        }

        @Override
        public void waitOnce() throws InterruptedException {
            lock.lock();
            try {
                while (!isEnded) {
                    condition.await();
                }
                isEnded = false;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void end() {
            lock.lock();
            try {
                isEnded = true;
                condition.signal();
            } finally {
                lock.unlock();
            }
        }
    }

    private static final class OnObject extends Way {
        private boolean isEnded;

        OnObject() {
            super("object-wait", "object_wait");
        }

        @Override
        public synchronized void waitOnce() throws InterruptedException {
            while (!isEnded) {
                wait();
            }
            isEnded = false;
        }

        @Override
        public synchronized void end() {
            isEnded = true;
            notifyAll();
        }
    }

    private static final class OnQueue extends Way {
        private final BlockingQueue<String> queue = new LinkedBlockingQueue<>();

        OnQueue() {
            super("queue", "queue");
        }

        @Override
        public void waitOnce() throws InterruptedException {
            queue.take();
        }

        @Override
        public void end() {
            queue.add("end");
        }
    }

    private static final class OnFuture extends Way {
        private volatile CompletableFuture<String> future;

        OnFuture() {
            super("future", "result");
        }

        @Override
        public void prepare() {
            future = new CompletableFuture<>();
        }

        @Override
        public void waitOnce() throws Exception {
            future.get();
        }

        @Override
        public void end() {
            future.complete("end");
        }
    }

    private static final class OnLatch extends Way {
        private volatile CountDownLatch latch;

        OnLatch() {
            super("latch", "result");
        }

        @Override
        public void prepare() {
            latch = new CountDownLatch(1);
        }

        @Override
        public void waitOnce() throws InterruptedException {
            latch.await();
        }

        @Override
        public void end() {
            latch.countDown();
        }
    }

    private static final class OnJoin extends Way {
        OnJoin() {
            super("join", "result");
        }

        @Override
        public void waitOnce() throws InterruptedException {
            Thread other = new Thread(OnJoin::pause, "joined");
            other.start();
            other.join();
        }

        private static void pause() {
            try {
                Thread.sleep(PAUSE_MS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static final class OnPermit extends Way {
        private final Semaphore permits = new Semaphore(0);

        OnPermit() {
            super("semaphore", "permit");
        }

        @Override
        public void waitOnce() throws InterruptedException {
            permits.acquire();
        }

        @Override
        public void end() {
            permits.release();
        }
    }

    private static final class OnAccept extends Way {
        private final ServerSocket door = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());

        OnAccept() throws IOException {
            super("accept", "accept");
        }

        @Override
        public void waitOnce() throws IOException {
            door.accept().close();
        }

        @Override
        public void end() throws IOException {
            new Socket(door.getInetAddress(), door.getLocalPort()).close();
        }
    }

    private static final class OnProcess extends Way {
        private Process process;

        OnProcess() {
            super("process", "process");
        }

        @Override
        public void prepare() {
            try {
                process = new ProcessBuilder("sleep", "0.3").start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void waitOnce() throws InterruptedException {
            process.waitFor();
        }
    }
}
