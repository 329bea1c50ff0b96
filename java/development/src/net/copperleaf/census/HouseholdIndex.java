package net.copperleaf.census;

import com.acme.load.Load;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

/** Joins two lists of households by number and reports the changes per district. */
public final class HouseholdIndex {
    record Household(long number, int people, int district) {}

    private final Household[] before;
    private final Household[] after;

    HouseholdIndex(int count, long seed) {
        SplittableRandom chance = new SplittableRandom(seed);
        before = new Household[count];
        after = new Household[count];
        for (int i = 0; i < count; i++) {
            before[i] = new Household(chance.nextLong(1L << 36), 1 + chance.nextInt(6), chance.nextInt(40));
            after[i] = new Household(before[i].number(), 1 + chance.nextInt(6), chance.nextInt(40));
        }
    }

    private Map<Long, Household> byNumber(Household[] list) {
        Map<Long, Household> index = new HashMap<>(); // [edit]
        // [new] Map<Long, Household> index = new HashMap<>(list.length * 2);
        for (Household household : list) index.put(household.number(), household); // [call]
        return index;
    }

    private int[][] changes(Map<Long, Household> index) {
        int[][] changes = new int[40][40];
        for (int i = 0; i < after.length; i += 8) {
            Household old = index.get(after[i].number());
            if (old != null) changes[old.district()][after[i].district()] += after[i].people() - old.people();
        }
        return changes;
    }

    private static String table(int[][] changes) {
        StringBuilder table = new StringBuilder();
        for (int[] row : changes) {
            long sum = 0;
            for (int change : row) sum += (long) change * change;
            table.append(sum).append(' ').append(Math.sqrt(sum)).append('\n');
        }
        return table.toString();
    }

    void compare() {
        Load.kept = table(changes(byNumber(before)));
    }

    public static void main(String[] arguments) {
        int[] seed = new int[1];
        Load.onThreads(2, "census", () -> new HouseholdIndex(12000, seed[0]++)::compare);
    }
}
