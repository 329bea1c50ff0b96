package org.fir.tollgate;

import com.acme.load.Load;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Adapts the toll of a plaza's lanes to the traffic of the last minutes. */
public final class TollPlaza {
    record Passage(long millis, int lane, int axles, int tag) {}

    /** Hands every passage to those who asked for it. */
    static final class Plaza {
        private final List<Consumer<Passage>> observers = new ArrayList<>();

        void on(Consumer<Passage> observer) {
            observers.add(observer);
        }

        void passed(Passage passage) {
            for (Consumer<Passage> observer : observers)
                observer.accept(passage);
        }
    }

    /** How many vehicles came through a lane within the window. */
    static final class Traffic {
        private final NavigableMap<Long, Passage> recent = new TreeMap<>();
        private final long window;

        Traffic(long windowMillis) {
            window = windowMillis;
        }

        int after(Passage passage) {
            recent.put(passage.millis, passage);
            long from = passage.millis - window;
            while (recent.firstKey() < from)
                recent.pollFirstEntry();
            return recent.tailMap(from, true).size(); // [call] [edit]
            // [new] return recent.size();
        }
    }

    static final class Pricing {
        private final Traffic[] lanes = {new Traffic(180_000), new Traffic(120_000), new Traffic(60_000)};
        private final int[] cents = {180, 240, 310};
        private long taken;

        void charge(Passage passage) {
            int vehicles = lanes[passage.lane].after(passage);
            double crowd = Math.min(1, vehicles / 400.0);
            taken += Math.round(cents[passage.lane] * (1 + crowd * crowd) * (passage.axles + 1) / 3);
        }
    }

    /** Looks whether the tag's signature is right: three rounds over the tag with the plaza's key. */
    static final class TagCheck {
        private final int[] key = new int[64];
        private int forged;

        TagCheck() {
            for (int i = 0; i < key.length; i++)
                key[i] = i * 0x9E3779B9 ^ i << 7;
        }

        void check(Passage passage) {
            int state = passage.tag;
            for (int round = 0; round < 3; round++)
                for (int k : key)
                    state = Integer.rotateLeft(state ^ k, 5) * 0x85EBCA6B + round;
            if ((state & 0xfff) == 0)
                forged++;
        }
    }

    private final Plaza plaza = new Plaza();
    private final Pricing pricing = new Pricing();
    private final TagCheck tags = new TagCheck();
    private long clock = 1_700_000_000_000L;
    private int vehicle;

    private TollPlaza() {
        plaza.on(pricing::charge);
        plaza.on(tags::check);
    }

    private void rush() {
        for (int i = 0; i < 2_000; i++) {
            vehicle = vehicle * 1_103_515_245 + 12_345;
            clock += 120 + (vehicle >>> 24);
            plaza.passed(new Passage(clock, (vehicle >>> 8) % 3, 2 + (vehicle >>> 16) % 4, vehicle));
        }
        Load.kept = pricing.taken + tags.forged;
    }

    public static void main(String[] args) {
        Load.onThreads(2, "toll", () -> new TollPlaza()::rush);
    }
}
