package de.lindenhof.festival;

import com.acme.load.Load;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.Random;

/** Lets visitors with wristbands in at the gates of a festival, each only once a day. */
public final class WristbandGate {
    abstract static class Gate {
        protected final Collection<String> inside = new ArrayList<>(); // [edit]
        // [new] protected final Collection<String> inside = new HashSet<>();
        protected int refused;

        abstract boolean valid(String band);

        void visitor(String band) {
            if (!valid(band) || !enter(band))
                refused++;
        }

        protected boolean enter(String band) {
            if (inside.contains(band)) // [call]
                return false;
            inside.add(band);
            return true;
        }

        void evening() {
            inside.clear();
            refused = 0;
        }
    }

    /** Bands end with a check sign over all others. */
    static class CheckedGate extends Gate {
        @Override
        boolean valid(String band) {
            return band.charAt(band.length() - 1) == sign(band, band.length() - 1);
        }

        static char sign(String band, int length) {
            int sum = 17;
            for (int round = 0; round < 40; round++)
                for (int i = 0; i < length; i++)
                    sum = (sum * 37 + band.charAt(i) * (i + 1) + round) % 9973;
            return (char) ('A' + sum % 26);
        }
    }

    static final class CampingGate extends CheckedGate {
        private int tents;

        @Override
        protected boolean enter(String band) {
            boolean entered = super.enter(band);
            if (entered && band.charAt(0) == 'T')
                tents++;
            return entered;
        }

        @Override
        void evening() {
            super.evening();
            tents = 0;
        }
    }

    static String[] bands(int count) {
        Random random = new Random(2026);
        String[] bands = new String[count];
        for (int i = 0; i < count; i++) {
            String band = (i % 9 == 0 ? "T" : "D") + "-" + (100_000 + random.nextInt(3 * count));
            bands[i] = band + CheckedGate.sign(band, band.length());
        }
        return bands;
    }

    public static void main(String[] args) {
        String[] bands = bands(1_400);
        CampingGate gate = new CampingGate();
        Load.here(() -> {
            for (String band : bands)
                gate.visitor(band);
            Load.kept = gate.inside.size() * 1_000L + gate.refused + gate.tents * 1_000_000_000L;
            gate.evening();
        });
    }
}
