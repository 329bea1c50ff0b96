package whittle.workloads.truth;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import whittle.workloads.Arguments;

/**
 * Short virtual threads that wait in known ways: each waits once, and measures its wait. JDK 21 and later.
 *
 * <p>See README.md for arguments and output.
 */
public final class VirtualWaits {
    private static final long WAIT_MILLIS = 20;
    /** So many virtual threads exist at the same time. */
    private static final int MOST = 2_000;

    private final Semaphore room = new Semaphore(MOST);

    private VirtualWaits() {}

    /** A way to wait. */
    private abstract static class Kind {
        private final String name;
        private final AtomicLong count = new AtomicLong();
        private final AtomicLong waitedNanos = new AtomicLong();

        Kind(String name) {
            this.name = name;
        }

        abstract void await() throws Exception;

        final void measure() {
            long start = System.nanoTime();
            try {
                await();
            } catch (Exception error) {
                throw new IllegalStateException(error);
            }
            waitedNanos.addAndGet(System.nanoTime() - start);
            count.incrementAndGet();
        }

        final void print() {
            System.out.println("wait=" + name + " count=" + count + " waited_ns=" + waitedNanos);
        }
    }

    private static final class Sleep extends Kind {
        Sleep() {
            super("sleep");
        }

        @Override
        void await() throws InterruptedException {
            Thread.sleep(WAIT_MILLIS);
        }
    }

    /** A platform thread holds the lock for 20 ms, again and again. */
    private static final class Lock extends Kind {
        private final ReentrantLock lock = new ReentrantLock(true);

        Lock() {
            super("lock");
            Platform.start("lock-holder", () -> {
                while (true) {
                    lock.lock();
                    try {
                        Thread.sleep(WAIT_MILLIS);
                    } finally {
                        lock.unlock();
                    }
                }
            });
        }

        @Override
        void await() {
            lock.lock();
            lock.unlock();
        }
    }

    /** A platform thread completes all results that are requested, each 20 ms. */
    private static final class Result extends Kind {
        private final BlockingQueue<CompletableFuture<String>> requests = new LinkedBlockingQueue<>();

        Result() {
            super("result");
            Platform.start("result-maker", () -> {
                while (true) {
                    Thread.sleep(WAIT_MILLIS);
                    List<CompletableFuture<String>> all = new ArrayList<>();
                    requests.drainTo(all);
                    all.forEach(result -> result.complete("done"));
                }
            });
        }

        @Override
        void await() throws Exception {
            CompletableFuture<String> result = new CompletableFuture<>();
            requests.add(result);
            result.get();
        }
    }

    /** A server on loopback answers after 20 ms. */
    private static final class Remote extends Kind {
        private final ServerSocket server;

        Remote() throws IOException {
            super("socket");
            server = new ServerSocket(0, MOST, InetAddress.getLoopbackAddress());
            Platform.start("server", () -> {
                while (true) {
                    Socket socket = server.accept();
                    Platform.start("answer", () -> {
                        try (socket) {
                            InputStream in = socket.getInputStream();
                            OutputStream out = socket.getOutputStream();
                            while (in.read() >= 0) {
                                Thread.sleep(WAIT_MILLIS);
                                out.write(1);
                            }
                        }
                    });
                }
            });
        }

        @Override
        void await() throws IOException {
            try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort())) {
                socket.getOutputStream().write(1);
                socket.getInputStream().read();
            }
        }
    }

    private interface Work {
        void run() throws Exception;
    }

    /** Threads that end with the program. */
    private static final class Platform {
        static void start(String name, Work work) {
            Thread thread = new Thread(() -> {
                try {
                    work.run();
                } catch (Exception error) {
                    throw new IllegalStateException(error);
                }
            }, name);
            thread.setDaemon(true);
            thread.start();
        }
    }

    public static void main(String[] args) throws Exception {
        Arguments arguments = Arguments.read(args, "threads", "delay");
        long threads = arguments.count("threads", 100_000);
        System.out.println("pid=" + ProcessHandle.current().pid());
        Thread.sleep(arguments.count("delay", 1) * 1000);
        new VirtualWaits().run(threads, List.of(new Sleep(), new Lock(), new Result(), new Remote()));
    }

    private void run(long threads, List<Kind> kinds) throws Exception {
        // The program is compiled for JDK 17, which has no virtual threads.
        var start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        for (long thread = 0; thread < threads; thread++) {
            // Few wait for the lock and for the server, because the lock's waits add up, and the server has one thread per connection.
            int number = (int) (thread % 100);
            Kind kind = kinds.get(number == 0 ? 1 : number == 1 ? 3 : number % 2 == 0 ? 0 : 2);
            room.acquire();
            start.invoke(null, (Runnable) () -> {
                try {
                    kind.measure();
                } finally {
                    room.release();
                }
            });
        }
        room.acquire(MOST);
        kinds.forEach(Kind::print);
    }
}
