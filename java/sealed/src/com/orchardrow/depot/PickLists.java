package com.orchardrow.depot;

import com.acme.load.Load;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/** Turns the orders of a fruit depot into pick lists: finds the bin of each line and walks the aisles in a short tour. */
public class PickLists {
    static final int AISLES = 24, SLOTS = 60;

    static class Bin {
        final int aisle, slot, decagrams;
        int crates = 500;

        Bin(int aisle, int slot, int decagrams) {
            this.aisle = aisle;
            this.slot = slot;
            this.decagrams = decagrams;
        }

        int distance(Bin other) {
            if (aisle == other.aisle)
                return Math.abs(slot - other.slot);
            int near = slot + other.slot, far = 2 * SLOTS - near;
            return Math.min(near, far) + 4 * Math.abs(aisle - other.aisle);
        }
    }

    static class OrderLine {
        final int aisle, slot, crates;
        OrderLine(int aisle, int slot, int crates) {
            this.aisle = aisle;
            this.slot = slot;
            this.crates = crates;
        }
    }

    private final Map<Integer, Bin> bins = new HashMap<>();
    private final Random random;
    private int orders;

    PickLists(long seed) {
        random = new Random(seed);
        for (int aisle = 0; aisle < AISLES; aisle++)
            for (int slot = 0; slot < SLOTS; slot++)
                bins.put(aisle * SLOTS + slot, new Bin(aisle, slot, 420 + random.nextInt(900)));
    }

    private static void pad(StringBuilder text, int number, int width, char fill) {
        String digits = Integer.toString(number);
        for (int i = digits.length(); i < width; i++)
            text.append(fill);
        text.append(digits);
    }

    /** The papers that the picker carries: the number of the order and, for every stop, a line such as A07-S031   12.40 kg. */
    String slip(int number, List<Bin> stops) {
        StringBuilder slip = new StringBuilder("ORDER ");
        pad(slip, number, 7, '0');
        for (Bin bin : stops) {
            slip.append('\n');
            slip.append(String.format(Locale.ROOT, "A%02d-S%03d %7.2f kg", bin.aisle, bin.slot, bin.decagrams / 100.0)); // [call] [edit]
            // [new] pad(slip.append('A'), bin.aisle, 2, '0');
            // [new] pad(slip.append("-S"), bin.slot, 3, '0');
            // [new] pad(slip.append(' '), bin.decagrams / 100, 4, ' ');
            // [new] pad(slip.append('.'), bin.decagrams % 100, 2, '0');
            // [new] slip.append(" kg");
        }
        return slip.toString();
    }

    List<OrderLine> nextOrder() {
        List<OrderLine> lines = new ArrayList<>();
        for (int i = 0; i < 90; i++)
            lines.add(new OrderLine(random.nextInt(AISLES), random.nextInt(SLOTS), 1 + random.nextInt(4)));
        return lines;
    }

    /** Takes the goods out of their bins and returns the bins to visit. */
    List<Bin> allocate(List<OrderLine> order) {
        List<Bin> stops = new ArrayList<>();
        for (OrderLine line : order) {
            Bin bin = bins.get(line.aisle * SLOTS + line.slot);
            if (bin.crates < line.crates)
                bin.crates = 500;
            bin.crates -= line.crates;
            if (!stops.contains(bin))
                stops.add(bin);
        }
        stops.sort(Comparator.<Bin>comparingInt(bin -> bin.aisle).thenComparingInt(bin -> bin.slot));
        return stops;
    }

    /** Reverses parts of the tour as long as this shortens it. */
    int shorten(List<Bin> stops, int rounds) {
        Bin[] tour = stops.toArray(new Bin[0]);
        for (int round = 0; round < rounds; round++)
            for (int i = 0; i + 3 < tour.length; i++)
                for (int j = i + 2; j + 1 < tour.length; j++) {
                    int before = tour[i].distance(tour[i + 1]) + tour[j].distance(tour[j + 1]);
                    int after = tour[i].distance(tour[j]) + tour[i + 1].distance(tour[j + 1]);
                    if (after < before)
                        for (int a = i + 1, b = j; a < b; a++, b--) {
                            Bin swap = tour[a];
                            tour[a] = tour[b];
                            tour[b] = swap;
                        }
                }
        int length = 0;
        for (int i = 1; i < tour.length; i++)
            length += tour[i - 1].distance(tour[i]);
        return length;
    }

    public static void main(String[] args) {
        Load.onThreads(2, "picker", () -> {
            PickLists lists = new PickLists(5);
            return () -> {
                List<Bin> stops = lists.allocate(lists.nextOrder());
                int steps = lists.shorten(stops, 85);
                Load.kept = lists.slip(++lists.orders, stops).length() + steps;
            };
        });
    }
}
