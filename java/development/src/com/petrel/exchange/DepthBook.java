package com.petrel.exchange;

import com.acme.load.Load;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;

/** Matches small orders with the best price in a book that all brokers share. */
public final class DepthBook {
    /** The side of the sellers. Prices do not move during the auction, only the amounts do. */
    static final class Asks {
        private final ConcurrentSkipListMap<Integer, int[]> levels = new ConcurrentSkipListMap<>();
        private final int[] prices;

        Asks(int count) {
            for (int i = 0; i < count; i++) levels.put(10_000 + i * 7 + i % 3, new int[] {500 + i % 90});
            prices = levels.keySet().stream().mapToInt(Integer::intValue).toArray();
        }

        int best(int limit) {
            Map.Entry<Integer, int[]> level = levels.ceilingEntry(limit); // [call] [edit]
            // [new] int at = java.util.Arrays.binarySearch(prices, limit);
            return level == null ? -1 : level.getKey(); // [old]
            // [new] at = at < 0 ? -at - 1 : at; return at == prices.length ? -1 : prices[at];
        }
    }

    private final Asks asks;
    private final SplittableRandom chance;
    private final NavigableMap<Integer, Integer> volumes = new TreeMap<>();

    DepthBook(Asks asks, long seed) {
        this.asks = asks;
        chance = new SplittableRandom(seed);
    }

    /** The fee of a broker, in steps. */
    static long fee(int price, int amount) {
        long worth = (long) price * amount, fee = 0;
        for (long step = 1000; step < worth && fee < 100_000; step *= 2) fee += worth / (step * 3 + 7);
        return fee;
    }

    void auction() {
        volumes.clear();
        long fees = 0;
        StringBuilder tape = new StringBuilder();
        for (int i = 0; i < 3000; i++) {
            int limit = 10_000 + chance.nextInt(140_000), amount = 1 + chance.nextInt(60);
            int price = asks.best(limit);
            if (price < 0) continue;
            fees += fee(price, amount);
            if (i % 10 == 0) volumes.merge(price / 500, amount, Integer::sum);
            if (i % 30 == 0) tape.append(price).append('x').append(amount).append(' ');
        }
        Load.kept = tape.append(fees).append(volumes.headMap(100).size()).toString();
    }

    public static void main(String[] arguments) {
        Asks asks = new Asks(20_000);
        int[] seed = new int[1];
        Load.onThreads(2, "broker", () -> new DepthBook(asks, seed[0]++)::auction);
    }
}
