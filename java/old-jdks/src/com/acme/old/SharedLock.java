package com.acme.old;

import java.util.HashMap;
import java.util.Map;

/** Four threads compute prices inside one lock. */
public final class SharedLock {
    private static final Map<Integer, Double> PRICES = new HashMap<>();

    private SharedLock() {}

    public static void main(String[] arguments) throws InterruptedException {
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(SharedLock::work, "worker-" + i);
            threads[i].start();
        }
        for (Thread thread : threads) thread.join();
    }

    private static void work() {
        double sum = 0;
        for (int i = 0; Run.goesOn(); i++) sum += price(i % 1000);
        Run.kept = sum;
    }

    private static double price(int item) {
        synchronized (PRICES) { // [edit shared-lock]
            double price = PRICES.getOrDefault(item, 1.0);
            for (int i = 0; i < 2000; i++) price = Math.sqrt(price + i);
            PRICES.put(item, price);
            return price;
        }
    }
}
