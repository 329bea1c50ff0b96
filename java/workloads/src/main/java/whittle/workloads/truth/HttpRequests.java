package whittle.workloads.truth;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

import com.sun.net.httpserver.HttpServer;
import whittle.workloads.Arguments;
import whittle.workloads.Lines;

/**
 * A server of HTTP/1.1 that logs its own requests, and clients that keep their connections. The server has one thread for each
 * connection, or is the server of the JDK.
 *
 * <p>See README.md for arguments and output.
 */
public final class HttpRequests {
    private static final int PARK_NS = 2_000_000;
    private static final int BURN_NS = 1_000_000;
    private static final int REMOTE_NS = 3_000_000;
    private static final int SLOW_ONE_IN = 100;
    private static final int SLOW_NS = 40_000_000;

    /** The lengths of an answered request in nanoseconds: until its answer was ready, and until the answer was written. */
    private static final class Length {
        final long leastNs;
        final long mostNs;

        Length(long leastNs, long mostNs) {
            this.leastNs = leastNs;
            this.mostNs = mostNs;
        }
    }

    /** The lengths of answered requests, by name. */
    private final ConcurrentSkipListMap<String, List<Length>> log = new ConcurrentSkipListMap<>();
    private final Object lock = new Object();
    private final int remotePort;

    private HttpRequests(int remotePort) {
        this.remotePort = remotePort;
    }

    public static void main(String[] args) throws Exception {
        Arguments arguments = Arguments.read(args, "connections", "seconds", "server", "pause-us");
        int connections = (int) arguments.count("connections", 16, 1, 1000);
        long endNs = System.nanoTime() + arguments.secondsAsNanos(4);
        long pauseNs = arguments.count("pause-us", 1000, 1, 1_000_000) * 1000;
        String kind = arguments.choice("server", "threads", "jdk");
        HttpRequests server = new HttpRequests(startRemote(connections));
        int port = kind.equals("jdk") ? server.startJdk(connections) : server.startThreads(connections);
        List<Thread> clients = new ArrayList<>();
        for (int number = 0; number < connections; number++) {
            Random random = new Random(number);
            clients.add(start("client-" + number, () -> request(port, random, endNs, pauseNs)));
        }
        for (Thread client : clients) {
            client.join();
        }
        server.log.forEach(HttpRequests::print);
        System.exit(0);
    }

    private static void print(String name, List<Length> lengths) {
        long[] sorted = lengths.stream().mapToLong(length -> length.mostNs).sorted().toArray();
        long[] least = lengths.stream().mapToLong(length -> length.leastNs).sorted().toArray();
        long sum = Arrays.stream(sorted).sum();
        Lines.print("request=%s count=%d mean_ns=%d least_p50_ns=%d p50_ns=%d p99_ns=%d longest_ns=%d", name.replace(' ', '_'),
                sorted.length, sum / sorted.length, atRank(least, 0.50), atRank(sorted, 0.50), atRank(sorted, 0.99),
                sorted[sorted.length - 1]);
    }

    private static long atRank(long[] sorted, double share) {
        return sorted[(int) Math.ceil(sorted.length * share) - 1];
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

    /** Another server, which answers each byte after a moment. */
    private static int startRemote(int connections) throws IOException {
        ServerSocket remote = new ServerSocket(0, connections, InetAddress.getLoopbackAddress());
        start("remote", () -> {
            while (true) {
                Socket socket = remote.accept();
                start("remote-connection", () -> {
                    InputStream in = socket.getInputStream();
                    for (int read = in.read(); read >= 0; read = in.read()) {
                        LockSupport.parkNanos(REMOTE_NS);
                        socket.getOutputStream().write(read);
                    }
                });
            }
        });
        return remote.getLocalPort();
    }

    private int startThreads(int connections) throws IOException {
        ServerSocket server = new ServerSocket(0, connections, InetAddress.getLoopbackAddress());
        start("acceptor", () -> {
            for (int number = 0; ; number++) {
                Socket socket = server.accept();
                socket.setTcpNoDelay(true);
                start("server-" + number, () -> serve(socket));
            }
        });
        return server.getLocalPort();
    }

    private void serve(Socket socket) throws IOException {
        InputStream in = socket.getInputStream();
        OutputStream out = socket.getOutputStream();
        byte[] bytes = new byte[4096];
        try (Socket remote = new Socket(InetAddress.getLoopbackAddress(), remotePort)) {
            for (int count = in.read(bytes); count > 0; count = in.read(bytes)) {
                long startNs = System.nanoTime();
                String[] words = new String(bytes, 0, count, StandardCharsets.US_ASCII).split(" ", 3);
                byte[] body = answer(words[1], remote);
                String head = "HTTP/1.1 200 OK\r\nContent-Length: " + body.length + "\r\n\r\n";
                long readyNs = System.nanoTime();
                out.write(head.getBytes(StandardCharsets.US_ASCII));
                out.write(body);
                note(words[0] + " " + name(words[1]), new Length(readyNs - startNs, System.nanoTime() - startNs));
            }
        }
    }

    private int startJdk(int connections) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), connections);
        server.setExecutor(Executors.newFixedThreadPool(connections));
        server.createContext("/", exchange -> {
            long startNs = System.nanoTime();
            long readyNs;
            try (Socket remote = new Socket(InetAddress.getLoopbackAddress(), remotePort)) {
                byte[] body = answer(exchange.getRequestURI().getPath(), remote);
                readyNs = System.nanoTime();
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
            }
            exchange.close();
            note(exchange.getRequestMethod() + " " + name(exchange.getRequestURI().getPath()),
                    new Length(readyNs - startNs, System.nanoTime() - startNs));
        });
        server.start();
        return server.getAddress().getPort();
    }

    private void note(String name, Length length) {
        List<Length> lengths = log.computeIfAbsent(name, unused -> new ArrayList<>());
        synchronized (lengths) {
            lengths.add(length);
        }
    }

    /** The path without its query, and with `{}` for its number. */
    private static String name(String path) {
        return path.split("\\?", 2)[0].replaceAll("[0-9]+", "{}");
    }

    private byte[] answer(String path, Socket remote) throws IOException {
        if (path.startsWith("/park/")) {
            LockSupport.parkNanos(PARK_NS);
        } else if (path.startsWith("/burn/")) {
            burn();
        } else if (path.startsWith("/lock")) {
            synchronized (lock) {
                LockSupport.parkNanos(PARK_NS / 4);
            }
        } else {
            remote.getOutputStream().write(1);
            remote.getInputStream().read();
            if (path.hashCode() % SLOW_ONE_IN == 0) {
                LockSupport.parkNanos(SLOW_NS);
            }
        }
        return new byte[path.length() * 10];
    }

    private static void burn() {
        long endNs = System.nanoTime() + BURN_NS;
        while (System.nanoTime() < endNs) {
            Thread.onSpinWait();
        }
    }

    private static final String[] PATHS = {"/park/%d/items", "/burn/%d", "/lock", "/remote/%d"};

    /** Sends one request after the other over one connection. */
    private static void request(int port, Random random, long endNs, long pauseNs) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setTcpNoDelay(true);
            InputStream in = socket.getInputStream();
            while (System.nanoTime() < endNs) {
                String path = String.format(PATHS[random.nextInt(PATHS.length)], random.nextInt(1000));
                String request = "GET " + path + "?token=secret HTTP/1.1\r\nHost: localhost\r\n\r\n";
                socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
                readAnswer(in);
                LockSupport.parkNanos(pauseNs + random.nextInt((int) pauseNs));
            }
        }
    }

    private static void readAnswer(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            head.append((char) in.read());
        }
        String lengthField = "content-length: ";
        int at = head.toString().toLowerCase().indexOf(lengthField) + lengthField.length();
        int left = Integer.parseInt(head.substring(at, head.indexOf("\r\n", at)));
        byte[] body = new byte[Math.max(left, 1)];
        while (left > 0) {
            left -= in.read(body, 0, left);
        }
    }
}
