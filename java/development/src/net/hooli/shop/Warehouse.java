package net.hooli.shop;

import com.acme.load.Load;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Parcels wait on a belt and leave it in the order in which they came. */
public final class Warehouse {
    record Parcel(int number, int grams) {}

    /** First in, first out. */
    static final class Belt {
        private final List<Parcel> parcels = new ArrayList<>(); // [edit]
        // [new] private final ArrayDeque<Parcel> parcels = new ArrayDeque<>();

        void lay(Collection<Parcel> more) {
            parcels.addAll(more);
        }

        Parcel lift() {
            return parcels.remove(0); // [call] [edit]
            // [new] return parcels.poll();
        }

        boolean isEmpty() {
            return parcels.isEmpty();
        }
    }

    static List<Parcel> delivery() {
        List<Parcel> parcels = new ArrayList<>();
        for (int i = 0; i < 30_000; i++) parcels.add(new Parcel(i, 100 + i * 31 % 900));
        return parcels;
    }

    static long shift(Belt belt, List<Parcel> delivery) {
        belt.lay(delivery);
        long weight = 0;
        while (!belt.isEmpty()) {
            Parcel parcel = belt.lift();
            for (int i = 0; i < 80; i++) weight = weight * 31 + parcel.grams();
        }
        return weight;
    }

    public static void main(String[] arguments) {
        List<Parcel> delivery = delivery();
        Load.onThreads(2, "belt", () -> {
            Belt belt = new Belt();
            return () -> Load.kept = shift(belt, delivery);
        });
    }
}
