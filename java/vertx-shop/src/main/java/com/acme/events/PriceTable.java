package com.acme.events;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** The prices of all products. A worker thread loads them again five times per second. */
final class PriceTable {
    static final int PAGE = 50;
    private static final int PERIOD_MILLIS = 200;
    /** What it takes to load a page. */
    private static final int PAGE_MILLIS = 6;

    private final LegacyClient client;
    private final boolean locked;
    private final int pages;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile double[] prices;

    PriceTable(LegacyClient client, Settings settings) throws IOException, InterruptedException {
        this.client = client;
        locked = settings.has("lock-on-loop");
        // A request at any time waits loading²/(2 periods) for the lock, in the mean.
        double loadingMillis = Math.sqrt(2 * PERIOD_MILLIS * settings.faultNanos() / 1e6);
        pages = (int) Math.max(1, Math.min(PERIOD_MILLIS * 0.8, loadingMillis) / PAGE_MILLIS);
        prices = load();
    }

    void keepFresh() {
        ScheduledExecutorService worker = Executors.newSingleThreadScheduledExecutor(work -> {
            Thread thread = new Thread(work, "price-refresh");
            thread.setDaemon(true);
            return thread;
        });
        worker.scheduleAtFixedRate(this::refresh, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    }

    double price(int product) {
        if (!locked) return prices[product % prices.length];
        lock.lock(); // [call lock-on-loop]
        try {
            return prices[product % prices.length];
        } finally {
            lock.unlock();
        }
    }

    private void refresh() {
        try {
            if (locked) {
                lock.lock();
                try {
                    prices = load(); // [edit lock-on-loop]
                } finally {
                    lock.unlock();
                }
            } else {
                prices = load();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private double[] load() throws IOException, InterruptedException {
        double[] loaded = new double[pages * PAGE];
        for (int page = 0; page < pages; page++) {
            var answer = client.get("/prices?page=" + page).getJsonArray("prices");
            for (int i = 0; i < PAGE; i++) loaded[page * PAGE + i] = answer.getDouble(i);
        }
        return loaded;
    }
}
