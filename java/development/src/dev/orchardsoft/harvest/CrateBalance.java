package dev.orchardsoft.harvest;

import com.acme.load.Load;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;

/** Balances the crates that pickers brought to the scale against those that reached the cold store. */
public final class CrateBalance {
    record Crate(long tag, int orchardRow, int grams, String variety) {}

    record Shortfall(String variety, long gramsLost, int crates) {}

    /** The crates of one delivery by the number on their tag. */
    static final class TagIndex {
        private final Map<Long, Crate> crates;

        TagIndex(List<Crate> delivery) {
            crates = new HashMap<>(); // [edit]
            // [new] crates = new HashMap<>(delivery.size() * 4 / 3 + 1);
            for (Crate crate : delivery)
                crates.put(crate.tag(), crate); // [call]
        }

        Crate byTag(long tag) {
            return crates.get(tag);
        }
    }

    static final class Delivery {
        private static final String[] VARIETIES = {"Boskoop", "Elstar", "Topaz", "Rubinette"};
        final List<Crate> weighed;
        final List<Crate> stored;

        Delivery(int day, int size) {
            SplittableRandom random = new SplittableRandom(day);
            weighed = new ArrayList<>(size);
            stored = new ArrayList<>(size);
            for (int i = 0; i < size; i++) {
                Crate crate = new Crate(random.nextLong(1L << 40), random.nextInt(80), 11_000 + random.nextInt(4_000),
                        VARIETIES[random.nextInt(VARIETIES.length)]);
                weighed.add(crate);
                if (i % 23 != 0)
                    stored.add(new Crate(crate.tag(), crate.orchardRow(), crate.grams() - random.nextInt(150), crate.variety()));
            }
            stored.sort(Comparator.comparingInt(Crate::orchardRow));
        }
    }

    private static List<Shortfall> shortfalls(Delivery delivery) {
        TagIndex index = new TagIndex(delivery.stored);
        Map<String, List<Crate>> missing = delivery.weighed.stream()
                .filter(crate -> index.byTag(crate.tag()) == null)
                .collect(Collectors.groupingBy(Crate::variety));
        return missing.entrySet().stream()
                .map(entry -> new Shortfall(entry.getKey(), entry.getValue().stream().mapToLong(Crate::grams).sum(),
                        entry.getValue().size()))
                .sorted(Comparator.comparing(Shortfall::variety))
                .toList();
    }

    /** How much a crate dries out on the way, by orchard row: a robust line through the medians. */
    private static double dryingSlope(Delivery delivery) {
        int[][] byRow = new int[80][];
        delivery.stored.stream().collect(Collectors.groupingBy(Crate::orchardRow))
                .forEach((row, crates) -> byRow[row] = crates.stream().mapToInt(Crate::grams).sorted().toArray());
        List<Double> slopes = new ArrayList<>();
        for (int a = 0; a < byRow.length; a++)
            for (int b = a + 1; b < byRow.length; b++)
                if (byRow[a] != null && byRow[b] != null)
                    slopes.add((byRow[b][byRow[b].length / 2] - byRow[a][byRow[a].length / 2]) / (double) (b - a));
        slopes.sort(null);
        return slopes.get(slopes.size() / 2);
    }

    public static void main(String[] args) {
        List<Delivery> days = new ArrayList<>();
        for (int day = 0; day < 6; day++)
            days.add(new Delivery(day, 4_200));
        ExecutorService packers = Executors.newFixedThreadPool(2, task -> {
            Thread thread = new Thread(task, "balance-pool");
            thread.setDaemon(true);
            return thread;
        });
        int[] turn = {0};
        Load.onThreads(1, "balance", () -> () -> {
            Delivery first = days.get(turn[0]++ % days.size()), second = days.get(turn[0]++ % days.size());
            CompletableFuture<List<Shortfall>> one = CompletableFuture.supplyAsync(() -> shortfalls(first), packers);
            CompletableFuture<List<Shortfall>> two = CompletableFuture.supplyAsync(() -> shortfalls(second), packers);
            CompletableFuture<Double> slope = CompletableFuture.supplyAsync(() -> dryingSlope(first), packers);
            Load.kept = one.thenCombine(two, (a, b) -> a + " / " + b).join() + " " + slope.join();
        });
    }
}
