package com.acme.load;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends requests to the shop at random times with a fixed mean rate, whether or not the shop keeps up (open loop). A
 * latency counts from the time at which the request was planned. The same seed gives the same requests.
 */
public final class Load {
    private static final int MAX_THREADS = 2000;

    private final int port;
    private final double rate;
    private final double seconds;
    private final double warmSeconds;
    private final boolean even;
    private final PrintWriter log;
    private final Random random;
    private final List<String> mix = new ArrayList<>();
    private final Map<String, Latencies> results = new LinkedHashMap<>();
    private final ThreadLocal<HttpConnection> connections;
    private final ExecutorService senders = new ThreadPoolExecutor(0, MAX_THREADS, 60, TimeUnit.SECONDS,
            new SynchronousQueue<>(), task -> new Thread(null, task, "load", 256 << 10));

    private Load(Map<String, String> options) throws IOException {
        port = Integer.parseInt(options.get("port"));
        rate = Double.parseDouble(options.getOrDefault("rate", "100"));
        seconds = Double.parseDouble(options.getOrDefault("seconds", "10"));
        warmSeconds = Double.parseDouble(options.getOrDefault("warm", "0"));
        even = options.getOrDefault("arrivals", "random").equals("even");
        String file = options.get("log");
        log = file == null ? null : new PrintWriter(Files.newBufferedWriter(Path.of(file)), true);
        random = new Random(Long.parseLong(options.getOrDefault("seed", "1")));
        for (String part : options.getOrDefault("mix", "orders:4,products:3,quote:2,create:1,report:1").split(",")) {
            String[] nameAndWeight = part.split(":");
            int weight = nameAndWeight.length > 1 ? Integer.parseInt(nameAndWeight[1]) : 1;
            for (int i = 0; i < weight; i++) mix.add(nameAndWeight[0]);
            results.put(nameAndWeight[0], new Latencies());
        }
        connections = ThreadLocal.withInitial(() -> new HttpConnection(port));
    }

    /**
     * {@code --port N --rate R --seconds S --mix orders:4,products:3,quote:2,create:1,report:1}, and if needed
     * {@code --warm S --seed N --arrivals even --log FILE}. A line of the log has the time of a request's end in
     * milliseconds since 1970, and the latency in microseconds.
     */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        Map<String, String> options = new HashMap<>();
        for (int i = 0; i + 1 < arguments.length; i += 2) options.put(arguments[i].substring(2), arguments[i + 1]);
        Load load = new Load(options);
        load.send();
        load.print();
        System.exit(0);
    }

    private void send() throws InterruptedException {
        long start = System.nanoTime();
        long countFrom = start + (long) (warmSeconds * 1e9);
        long end = countFrom + (long) (seconds * 1e9);
        double gap = 1e9 / rate;
        double planned = start;
        while (true) {
            planned += even ? gap : -Math.log(1 - random.nextDouble()) * gap;
            long at = (long) planned;
            if (at >= end) break;
            String name = mix.get(random.nextInt(mix.size()));
            byte[] request = Requests.request(name, random);
            for (long left = at - System.nanoTime(); left > 0; left = at - System.nanoTime())
                LockSupport.parkNanos(left);
            senders.execute(() -> call(name, request, at, at >= countFrom));
        }
        senders.shutdown();
        senders.awaitTermination(60, TimeUnit.SECONDS);
    }

    private void call(String name, byte[] request, long planned, boolean counts) {
        boolean good = connections.get().call(request);
        long latency = System.nanoTime() - planned;
        if (counts) results.get(name).add(latency, good);
        if (log != null) log.println(System.currentTimeMillis() + " " + latency / 1000);
    }

    private void print() {
        Latencies all = new Latencies();
        results.forEach((name, latencies) -> {
            System.out.println(name + " " + latencies.summary(seconds));
            all.addAll(latencies);
        });
        System.out.println(all.summary(seconds));
    }

    /** The latencies of the requests of one kind. */
    private static final class Latencies {
        private long[] nanos = new long[1024];
        private int count;
        private int errors;

        synchronized void add(long latency, boolean good) {
            if (count == nanos.length) nanos = Arrays.copyOf(nanos, count * 2);
            nanos[count++] = latency;
            if (!good) errors++;
        }

        synchronized void addAll(Latencies others) {
            for (int i = 0; i < others.count; i++) add(others.nanos[i], true);
            errors += others.errors;
        }

        synchronized String summary(double seconds) {
            long[] sorted = Arrays.copyOf(nanos, count);
            Arrays.sort(sorted);
            return String.format("requests=%d errors=%d rate=%.1f p50_us=%d p99_us=%d", count, errors, count / seconds,
                    micros(sorted, 0.50), micros(sorted, 0.99));
        }

        private static long micros(long[] sorted, double quantile) {
            if (sorted.length == 0) return 0;
            return sorted[(int) Math.min(sorted.length - 1, Math.ceil(quantile * sorted.length) - 1)] / 1000;
        }
    }
}
