package com.larkspur.irrigation;

import com.acme.load.Load;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** Finds for each field of an orchard when to open the valve next, from the forecast of what the trees drink. */
public final class WaterPlan {
    private static final int HOURS = 40 * 24;

    /** What the trees of a field drink in each hour, in thousandths of a millimetre. */
    static final class Thirst {
        private final int[] perHour = new int[HOURS];
        // [new] private final long[] before = new long[HOURS + 1];

        Thirst(Random random) {
            for (int hour = 0; hour < HOURS; hour++) {
                int sun = Math.max(0, 36 - (hour % 24 - 13) * (hour % 24 - 13));
                perHour[hour] = 5 + sun * (6 + random.nextInt(5));
                // [new] before[hour + 1] = before[hour] + perHour[hour];
            }
        }

        long between(int from, int to) {
            long sum = 0; // [old]
            for (int hour = from; hour < to; hour++) sum += perHour[hour]; // [call] [edit]
            return sum; // [old]
            // [new] return before[to] - before[from];
        }
    }

    record Opening(int start, int hours, long cost) {}

    static final class Field {
        private final Thirst thirst;
        private final int[] tariff;
        private final int reserve, loss;

        Field(Random random, int[] tariff) {
            this.thirst = new Thirst(random);
            this.tariff = tariff;
            this.reserve = 20_000 + random.nextInt(30_000);
            this.loss = 3 + random.nextInt(5);
        }

        /** Pumping costs by the hour; a part of the water evaporates before it reaches the roots. */
        private long pumping(int start, int hours, long water) {
            long left = water, cost = 0;
            for (int hour = start; hour < start + hours; hour++) {
                long pumped = left / (start + hours - hour);
                long lost = pumped * loss * (hour % 24 > 8 && hour % 24 < 19 ? 3 : 1) / 100;
                cost += (pumped + lost) * tariff[hour % tariff.length];
                left -= pumped;
            }
            return cost / 1000;
        }

        Opening best(int today) {
            Opening best = null;
            for (int start = today; start < today + 5 * 24; start += 2) {
                long dry = Math.max(0, thirst.between(today, start) - reserve);
                for (int days = 4; days <= 20; days += 4) {
                    long water = thirst.between(start, start + days * 24);
                    int hours = (int) Math.min(30, 4 + water / 12_000);
                    long cost = (pumping(start, hours, water) + dry * 40) / days;
                    if (best == null || cost < best.cost())
                        best = new Opening(start, hours, cost);
                }
            }
            return best;
        }
    }

    private final List<Field> fields = new ArrayList<>();
    private final ExecutorService crew;
    private int day;

    WaterPlan() {
        Random random = new Random(77);
        int[] tariff = random.ints(168, 8, 31).toArray();
        for (int i = 0; i < 24; i++)
            fields.add(new Field(random, tariff));
        AtomicInteger number = new AtomicInteger();
        crew = Executors.newFixedThreadPool(2, task -> {
            Thread thread = new Thread(task, "main-field-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
    }

    void plan() {
        int today = day++ % 15 * 24;
        List<CompletableFuture<Opening>> openings = new ArrayList<>();
        for (Field field : fields)
            openings.add(CompletableFuture.supplyAsync(() -> field.best(today), crew));
        long cost = openings.stream().map(CompletableFuture::join).mapToLong(opening -> opening.cost() * 31 + opening.start()).sum();
        Load.kept = cost;
    }

    public static void main(String[] args) {
        Load.here(new WaterPlan()::plan);
    }
}
