package com.acme.events;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.client.WebClient;
import io.vertx.ext.web.client.WebClientOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * An open-loop load generator: requests start at planned times and do not wait for the answers of others. The latency
 * counts from the planned time.
 */
public final class Load {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final WebClient client;
    private final List<String> mix;
    private final Random random = new Random(5);
    private final Buffer order = new JsonObject().put("customer", "c77").put("note", "ring twice")
            .put("lines", new JsonArray().add(new JsonObject().put("product", 7).put("count", 2))
                    .add(new JsonObject().put("product", 301).put("count", 1))).toBuffer();
    private long[] latencies = new long[1 << 12];
    private int answered;
    private int failed;

    private Load(WebClient client, List<String> mix) {
        this.client = client;
        this.mix = mix;
    }

    /** {@code --port N --rate R --seconds S [--warmup 2] [--mix quote:2,catalog:1,order:1]}. */
    public static void main(String[] arguments) throws Exception {
        Map<String, String> options = new HashMap<>();
        for (int i = 0; i + 1 < arguments.length; i += 2) options.put(arguments[i], arguments[i + 1]);
        double rate = Double.parseDouble(options.getOrDefault("--rate", "100"));
        double seconds = Double.parseDouble(options.getOrDefault("--seconds", "10"));
        Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
        WebClient client = WebClient.create(vertx, new WebClientOptions().setDefaultHost("127.0.0.1")
                .setDefaultPort(Integer.parseInt(options.get("--port"))).setMaxPoolSize(500));
        Load load = new Load(client, mix(options.getOrDefault("--mix", "quote:2,catalog:1,order:1")));
        Context context = vertx.getOrCreateContext();
        load.run(context, rate, Double.parseDouble(options.getOrDefault("--warmup", "2")));
        load.forget();
        int sent = load.run(context, rate, seconds);
        load.report(sent, seconds);
        System.exit(0);
    }

    private static List<String> mix(String text) {
        List<String> mix = new ArrayList<>();
        for (String part : text.split(",")) {
            String[] words = part.split(":");
            int weight = words.length > 1 ? Integer.parseInt(words[1]) : 1;
            for (int i = 0; i < weight; i++) mix.add(words[0]);
        }
        return mix;
    }

    private int run(Context context, double rate, double seconds) {
        long begin = System.nanoTime();
        long end = begin + Math.round(seconds * 1e9);
        int sent = 0;
        // Requests of many independent users: the gaps between them are exponential.
        for (double planned = begin; planned < end; planned += -Math.log(1 - random.nextDouble()) * 1e9 / rate) {
            long at = (long) planned;
            while (System.nanoTime() < at) LockSupport.parkNanos(at - System.nanoTime());
            String kind = mix.get(random.nextInt(mix.size()));
            int number = random.nextInt(500);
            context.runOnContext(nothing -> send(kind, number, at));
            sent++;
        }
        long patience = System.nanoTime() + PATIENCE_NANOS;
        while (done() < sent && System.nanoTime() < patience) LockSupport.parkNanos(1_000_000);
        return sent;
    }

    private void send(String kind, int number, long planned) {
        var answer = switch (kind) {
            case "quote" -> client.request(HttpMethod.GET, "/quote/" + number).send();
            case "catalog" -> client.request(HttpMethod.GET, "/catalog?page=" + number).send();
            case "order" -> client.request(HttpMethod.POST, "/order").putHeader("content-type", "application/json")
                    .sendBuffer(order);
            default -> throw new IllegalArgumentException("no request " + kind);
        };
        answer.onComplete(result -> done(planned, result.succeeded() && result.result().statusCode() == 200));
    }

    private synchronized void done(long planned, boolean good) {
        if (!good) {
            failed++;
            return;
        }
        if (answered == latencies.length) latencies = Arrays.copyOf(latencies, 2 * answered);
        latencies[answered++] = System.nanoTime() - planned;
    }

    private synchronized int done() {
        return answered + failed;
    }

    private synchronized void forget() {
        answered = 0;
        failed = 0;
    }

    private synchronized void report(int sent, double seconds) {
        long[] sorted = Arrays.copyOf(latencies, answered);
        Arrays.sort(sorted);
        System.out.printf("requests=%d errors=%d rate=%.1f p50_us=%d p99_us=%d%n", sent, sent - answered,
                answered / seconds, quantile(sorted, 0.5), quantile(sorted, 0.99));
    }

    private static long quantile(long[] sorted, double part) {
        return sorted.length == 0 ? 0 : sorted[(int) (part * (sorted.length - 1))] / 1000;
    }
}
