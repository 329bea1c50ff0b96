package net.quayside.fares;

import com.acme.load.Load;

/** Adds up the fares of the vehicles on a ferry. Each kind of vehicle has a tariff. */
public final class FerryFares {
    interface Tariff {
        long fare(int length, int tons);
    }

    static final class Car implements Tariff {
        @Override
        public long fare(int length, int tons) {
            return 40 + length * 3L;
        }
    }

    static final class Lorry implements Tariff {
        @Override
        public long fare(int length, int tons) {
            return 90 + tons * 7L;
        }
    }

    static final class Coach implements Tariff {
        @Override
        public long fare(int length, int tons) {
            return 70 + length * 5L + tons;
        }
    }

    static final class Bicycle implements Tariff {
        @Override
        public long fare(int length, int tons) {
            return 5;
        }
    }

    static final class Caravan implements Tariff {
        @Override
        public long fare(int length, int tons) {
            return 55 + length * 4L;
        }
    }

    private static final int VEHICLES = 6000;
    private static final Tariff[] TARIFFS = {new Car(), new Lorry(), new Coach(), new Bicycle(), new Caravan()};

    private final int[] kinds = new int[VEHICLES];
    private final int[] lengths = new int[VEHICLES];

    FerryFares() {
        int state = 11;
        for (int vehicle = 0; vehicle < VEHICLES; vehicle++) {
            state = state * 1664525 + 1013904223;
            kinds[vehicle] = (state >>> 16) % TARIFFS.length;
            lengths[vehicle] = 3 + (state >>> 28);
        }
    }

    static long fareOf(int kind, int length, int tons) {
        return switch (kind) {
            case 0 -> 40 + length * 3L;
            case 1 -> 90 + tons * 7L;
            case 2 -> 70 + length * 5L + tons;
            case 3 -> 5;
            default -> 55 + length * 4L;
        };
    }

    long crossing() {
        long sum = 0;
        for (int vehicle = 0; vehicle < VEHICLES; vehicle++) {
            sum += TARIFFS[kinds[vehicle]].fare(lengths[vehicle], vehicle & 31); // [call] [edit]
            // [new] sum += fareOf(kinds[vehicle], lengths[vehicle], vehicle & 31);
        }
        return sum;
    }

    public static void main(String[] arguments) {
        Load.onThreads(1, "fares", () -> {
            FerryFares fares = new FerryFares();
            return () -> Load.kept = fares.crossing();
        });
    }
}
