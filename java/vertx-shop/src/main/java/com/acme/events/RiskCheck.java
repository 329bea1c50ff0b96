package com.acme.events;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Asks if a customer can be trusted. The client blocks, so worker threads do it. */
final class RiskCheck {
    private static final ExecutorService POOL = Executors.newFixedThreadPool(20, work -> {
        Thread thread = new Thread(work, "risk-pool");
        thread.setDaemon(true);
        return thread;
    });

    private final Vertx vertx;
    private final LegacyClient client;
    private final Settings settings;
    private final WorkerExecutor single;

    RiskCheck(Vertx vertx, LegacyClient client, Settings settings) {
        this.vertx = vertx;
        this.client = client;
        this.settings = settings;
        single = settings.has("one-worker") ? vertx.createSharedWorkerExecutor("risk", 1) : null; // [edit one-worker]
    }

    Future<Integer> check(String customer) {
        if (settings.has("blocking-get-on-loop")) {
            return Future.succeededFuture(waitForScore(customer)); // [edit blocking-get-on-loop]
        }
        if (settings.has("one-worker")) return single.executeBlocking(() -> score(customer), true); // [call one-worker]
        return vertx.executeBlocking(() -> score(customer), false);
    }

    private int waitForScore(String customer) {
        try {
            return CompletableFuture.supplyAsync(() -> score(customer), POOL).get(); // [call blocking-get-on-loop]
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    private int score(String customer) {
        try {
            return client.get("/risk?delay=" + settings.faultMillis() + "&customer=" + customer).getInteger("score");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
