package whittle.workloads.truth;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import whittle.workloads.Arguments;
import whittle.workloads.Lines;
import whittle.workloads.buffers.TemporaryBuffers;

/**
 * A server of HTTP/1.1 in which about one in a hundred of otherwise equal requests is slow, for one known cause. The server logs
 * which part of each request's length this cause has.
 *
 * <p>See README.md for arguments and output.
 */
public final class SlowRequests {
    private static final int SLOW_ONE_IN = 100;
    /** How long the refresher holds the lock, and a slow answer of the peer takes. */
    private static final long SLOW_NS = 30_000_000;
    private static final long ORDINARY_NS = 1_000_000;
    /** Between two times in which the refresher holds the lock of one connection. */
    private static final long REFRESH_PAUSE_NS = 10_000_000;
    /** Between two collections. Each is part of one request per connection: together about one in a hundred. */
    private static final long COLLECTION_PAUSE_NS = 300_000_000;
    private static final byte ORDINARY = 1;
    private static final byte SLOW = 2;
    private static final int PAGE_BYTES = 4096;
    /** Enough for a request that is many times longer than the others. */
    private static final int PAGES = 4 * 1024;
    /** Objects that each collection must visit, so that it takes about as long as the other causes. */
    private static final int LIVE_OBJECTS = 3_000_000;

    /** A request in the log. */
    private record Logged(long startNs, long endNs, long causeNs) {
        long lengthNs() {
            return endNs - startNs;
        }
    }

    /** A time in which the collector was asked to collect all garbage. */
    private record Collection(long startNs, long endNs) {
        long within(Logged request) {
            return Math.max(0, Math.min(endNs, request.endNs) - Math.max(startNs, request.startNs));
        }
    }

    private final ConcurrentLinkedQueue<Logged> log = new ConcurrentLinkedQueue<>();
    private final List<Collection> collections = new ArrayList<>();
    /** The locks, one for each connection. So the thread that holds a lock makes one other thread wait. */
    private final List<Object> locks = new ArrayList<>();
    private final AtomicLong count = new AtomicLong();
    private final String cause;
    private final int peerPort;
    private volatile boolean isOver;

    private SlowRequests(String cause, int connections, int peerPort) {
        for (int number = 0; number < connections; number++) {
            locks.add(new Object());
        }
        this.cause = cause;
        this.peerPort = peerPort;
    }

    public static void main(String[] args) throws Exception {
        Arguments arguments = Arguments.read(args, "cause", "connections", "seconds");
        int connections = (int) arguments.count("connections", 8, 1, 100);
        SlowRequests server = new SlowRequests(
                arguments.choice("cause", "lock", "gc", "remote", "fault"), connections, startPeer());
        int port = server.start(connections);
        Thread cause = server.startCause();
        long endNs = System.nanoTime() + arguments.secondsAsNanos(4);
        List<Thread> clients = new ArrayList<>();
        for (int number = 0; number < connections; number++) {
            clients.add(start("client-" + number, () -> ask(port, endNs)));
        }
        for (Thread client : clients) {
            client.join();
        }
        server.isOver = true;
        cause.join();
        server.print();
        System.exit(0);
    }

    /** Compares the slowest hundredth with the others. */
    private void print() {
        List<Logged> sorted = new ArrayList<>();
        for (Logged request : log) {
            long collectedNs = collections.stream().mapToLong(collection -> collection.within(request)).sum();
            sorted.add(new Logged(request.startNs, request.endNs, request.causeNs + collectedNs));
        }
        sorted.sort(Comparator.comparingLong(Logged::lengthNs).reversed());
        int slowest = (sorted.size() + SLOW_ONE_IN - 1) / SLOW_ONE_IN;
        List<Logged> slow = sorted.subList(0, slowest);
        List<Logged> others = sorted.subList(slowest, sorted.size());
        Lines.print("cause=%s requests=%d slowest=%d longer_ns=%.0f cause_longer_ns=%.0f", cause, sorted.size(), slowest,
                mean(slow, false) - mean(others, false), mean(slow, true) - mean(others, true));
    }

    private static double mean(List<Logged> requests, boolean isOfCause) {
        return requests.stream().mapToLong(request -> isOfCause ? request.causeNs : request.lengthNs()).average().orElse(0);
    }

    private static Thread start(String name, Task task) {
        Thread thread = new Thread(() -> {
            try {
                task.run();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private interface Task {
        void run() throws IOException;
    }

    /** Another server, which answers each byte after a moment, and some bytes late. */
    private static int startPeer() throws IOException {
        ServerSocket peer = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        start("peer", () -> {
            while (true) {
                Socket socket = peer.accept();
                start("peer-connection", () -> {
                    InputStream in = socket.getInputStream();
                    for (int read = in.read(); read >= 0; read = in.read()) {
                        sleep(read == SLOW ? SLOW_NS : ORDINARY_NS);
                        socket.getOutputStream().write(read);
                    }
                });
            }
        });
        return peer.getLocalPort();
    }

    private int start(int connections) throws IOException {
        ServerSocket server = new ServerSocket(0, connections, InetAddress.getLoopbackAddress());
        start("acceptor", () -> {
            for (int number = 0; ; number++) {
                Socket socket = server.accept();
                socket.setTcpNoDelay(true);
                Object lock = locks.get(number);
                start("server-" + number, () -> serve(socket, lock));
            }
        });
        return server.getLocalPort();
    }

    /** Starts the thread that makes requests slow from outside, if the cause is of this kind. */
    private Thread startCause() {
        return switch (cause) {
            case "lock" -> start("price-refresher", this::refreshPrices);
            case "gc" -> {
                List<Object> live = liveObjects();
                yield start("collector", () -> collectGarbage(live));
            }
            default -> start("no-cause", () -> {});
        };
    }

    private void refreshPrices() throws IOException {
        try (Socket peer = new Socket(InetAddress.getLoopbackAddress(), peerPort)) {
            for (int number = 0; !isOver; number++) {
                sleep(REFRESH_PAUSE_NS);
                refresh(locks.get(number % locks.size()), peer);
            }
        }
    }

    private static void refresh(Object lock, Socket peer) throws IOException {
        synchronized (lock) {
            askPeer(peer, SLOW);
        }
    }

    private static List<Object> liveObjects() {
        List<Object> live = new ArrayList<>(LIVE_OBJECTS);
        for (int number = 0; number < LIVE_OBJECTS; number++) {
            live.add(new long[] {number});
        }
        return live;
    }

    private void collectGarbage(List<Object> live) {
        while (!isOver) {
            sleep(COLLECTION_PAUSE_NS);
            long startNs = System.nanoTime();
            System.gc();
            collections.add(new Collection(startNs, System.nanoTime()));
        }
        if (live.size() != LIVE_OBJECTS) {
            throw new IllegalStateException("the objects must live");
        }
    }

    private void serve(Socket socket, Object lock) throws IOException {
        InputStream in = socket.getInputStream();
        OutputStream out = socket.getOutputStream();
        byte[] bytes = new byte[4096];
        try (Socket peer = new Socket(InetAddress.getLoopbackAddress(), peerPort)) {
            for (int length = in.read(bytes); length > 0; length = in.read(bytes)) {
                long startNs = System.nanoTime();
                long causeNs = answer(peer, lock, count.incrementAndGet() % SLOW_ONE_IN == 0);
                out.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".getBytes(StandardCharsets.US_ASCII));
                log.add(new Logged(startNs, System.nanoTime(), causeNs));
            }
        }
    }

    /** Returns how long the step took that can be slow. */
    private long answer(Socket peer, Object lock, boolean isSlow) throws IOException {
        long priceNs = readPrice(lock);
        long askedNs = askPeer(peer, isSlow && cause.equals("remote") ? SLOW : ORDINARY);
        long touchedNs = isSlow && cause.equals("fault") ? touchFreshMemory() : 0;
        return switch (cause) {
            case "lock" -> priceNs;
            case "remote" -> askedNs;
            case "fault" -> touchedNs;
            default -> 0;
        };
    }

    private static long readPrice(Object lock) {
        long startNs = System.nanoTime();
        synchronized (lock) {
            return System.nanoTime() - startNs;
        }
    }

    private static long askPeer(Socket peer, byte question) throws IOException {
        long startNs = System.nanoTime();
        peer.getOutputStream().write(question);
        if (peer.getInputStream().read() < 0) {
            throw new EOFException("the peer closed its connection");
        }
        return System.nanoTime() - startNs;
    }

    /** Writes to each page of a new private mapping, so each page is a page fault that copies. */
    private static long touchFreshMemory() throws IOException {
        Path file = Files.createTempFile("whittle-slow-requests-", ".map");
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE)) {
            MappedByteBuffer memory = channel.map(FileChannel.MapMode.PRIVATE, 0, (long) PAGES * PAGE_BYTES);
            long startNs = System.nanoTime();
            touch(memory);
            long touchedNs = System.nanoTime() - startNs;
            // Otherwise the memory grows until the collector finds the mapping.
            TemporaryBuffers.free(memory);
            return touchedNs;
        }
    }

    private static void touch(MappedByteBuffer memory) {
        for (int page = 0; page < PAGES; page++) {
            memory.put(page * PAGE_BYTES, (byte) 1);
        }
    }

    private static void sleep(long nanos) {
        long endNs = System.nanoTime() + nanos;
        for (long leftNs = nanos; leftNs > 0; leftNs = endNs - System.nanoTime()) {
            LockSupport.parkNanos(leftNs);
        }
    }

    /** Sends one request after the other over one connection. */
    private static void ask(int port, long endNs) throws IOException {
        byte[] request = "GET /price HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setTcpNoDelay(true);
            while (System.nanoTime() < endNs) {
                socket.getOutputStream().write(request);
                // The answer is one write, so it is read at once.
                if (socket.getInputStream().read(new byte[4096]) < 0) {
                    throw new EOFException("the server closed its connection");
                }
                sleep(ORDINARY_NS);
            }
        }
    }
}
