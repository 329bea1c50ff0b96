package com.saltmarsh.tariff;

import com.acme.load.Load;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** Four clerks price parcels with one shared table of zone rates. */
public final class TariffDesk {
    record Parcel(int from, int to, int grams) {}

    /** Rates between zones, and how often each zone was asked for. */
    static final class Rates {
        private final AtomicIntegerArray asked = new AtomicIntegerArray(64);

        int rate(int from, int to) {
            synchronized (asked) { // [call] [edit]
            // [new] {
                asked.incrementAndGet(from);
                asked.incrementAndGet(to);
                return compute(from, to);
            }
        }

        private static int compute(int from, int to) {
            int rate = 390;
            for (int leg = 0; leg < 24; leg++) rate += (from * 31 + to * 17 + leg * leg) % 11;
            return rate;
        }
    }

    private final Rates rates;
    private final SplittableRandom chance;

    TariffDesk(Rates rates, long seed) {
        this.rates = rates;
        chance = new SplittableRandom(seed);
    }

    List<Parcel> bag(int count) {
        List<Parcel> bag = new ArrayList<>(count);
        for (int i = 0; i < count; i++) bag.add(new Parcel(chance.nextInt(64), chance.nextInt(64), 50 + chance.nextInt(30000)));
        return bag;
    }

    static String label(Parcel parcel, int cents) {
        StringBuilder label = new StringBuilder(64).append("Z").append(parcel.from()).append('>').append(parcel.to());
        label.append(' ').append(parcel.grams()).append("g ").append(cents / 100).append('.').append(cents % 100);
        int check = 0;
        for (int i = 0; i < label.length(); i++) check = check * 7 + label.charAt(i) & 0xffff;
        return label.append('/').append(check).toString();
    }

    void bagOfParcels() {
        List<String> labels = new ArrayList<>();
        for (Parcel parcel : bag(800)) {
            int cents = rates.rate(parcel.from(), parcel.to()) + parcel.grams() / 40;
            labels.add(label(parcel, cents));
        }
        labels.sort(null);
        Load.kept = labels;
    }

    public static void main(String[] arguments) {
        Rates rates = new Rates();
        int[] seed = new int[1];
        Load.onThreads(4, "clerk", () -> new TariffDesk(rates, seed[0]++)::bagOfParcels);
    }
}
