package io.marlowe.traffic;

import com.acme.load.Load;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.HashMap;
import java.util.function.IntConsumer;

/** Counts cars at crossings from events of sensors, and finds the busiest hour. */
public final class CrossingCounts {
    /** Something that wants to see the events. The sensors know only this. */
    interface Listener extends IntConsumer {
        String report();
    }

    /** Cars per crossing. */
    static final class PerCrossing implements Listener {
        private final Map<Integer, Long> cars = new HashMap<>(); // [edit]
        // [new] private final long[] cars = new long[4096];

        @Override
        public void accept(int event) {
            cars.merge(event >>> 8 & 4095, (long) (event & 255), Long::sum); // [call] [old]
            // [new] cars[event >>> 8 & 4095] += event & 255;
        }

        @Override
        public String report() {
            return "top " + cars.values().stream().mapToLong(Long::longValue).max().orElse(0); // [old]
            // [new] return "top " + Arrays.stream(cars).max().orElse(0);
        }
    }

    /** The time between events, as a histogram of powers of two. */
    static final class Gaps implements Listener {
        private final int[] gaps = new int[33];
        private int last;

        @Override
        public void accept(int event) {
            gaps[Integer.numberOfLeadingZeros(Math.abs(event - last) | 1)]++;
            last = event;
        }

        @Override
        public String report() {
            return "gaps " + Arrays.toString(gaps);
        }
    }

    /** Keeps a sketch of the plates that were seen. */
    static final class Plates implements Listener {
        private final long[] seen = new long[1 << 10];

        @Override
        public void accept(int event) {
            long hash = event * 0x9e3779b97f4a7c15L;
            for (int round = 0; round < 12; round++) {
                hash ^= hash >>> 29;
                hash *= 0xbf58476d1ce4e5b9L;
                seen[(int) (hash >>> 54)] |= 1L << (hash & 63);
            }
        }

        @Override
        public String report() {
            return "plates " + Arrays.stream(seen).map(Long::bitCount).sum();
        }
    }

    private final List<Listener> listeners = new ArrayList<>();

    CrossingCounts() {
        listeners.add(new PerCrossing());
        listeners.add(new Gaps());
        listeners.add(new Plates());
    }

    static int[] events(int count) {
        int[] events = new int[count];
        int state = 17;
        for (int i = 0; i < count; i++) {
            state = state * 1664525 + 1013904223;
            events[i] = state >>> 4;
        }
        Arrays.sort(events, 0, count / 2);
        return events;
    }

    List<String> hour() {
        for (int event : events(6000)) for (Listener listener : listeners) listener.accept(event);
        List<String> reports = new ArrayList<>();
        for (Listener listener : listeners) reports.add(listener.report());
        return reports;
    }

    public static void main(String[] arguments) {
        Load.onThreads(2, "sensor", () -> {
            CrossingCounts counts = new CrossingCounts();
            return () -> Load.kept = counts.hour();
        });
    }
}
