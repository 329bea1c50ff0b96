package org.ironwood.races;

import com.acme.load.Load;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Keeps the roll of a city run while the runners sign on, and warns the desk of names that look like one that is there already. */
public final class MusterRoll {
    interface SignOnListener {
        void signedOn(String name, int place, List<String> roll);
    }

    private final List<SignOnListener> listeners = new ArrayList<>();
    private final List<String> roll = new ArrayList<>();

    void addListener(SignOnListener listener) {
        listeners.add(listener);
    }

    void signOn(String name) {
        roll.add(name); // [old]
        roll.sort(String.CASE_INSENSITIVE_ORDER); // [call] [edit]
        // [new] roll.add(-1 - Collections.binarySearch(roll, name, String.CASE_INSENSITIVE_ORDER), name);
        int place = Collections.binarySearch(roll, name, String.CASE_INSENSITIVE_ORDER);
        for (SignOnListener listener : listeners)
            listener.signedOn(name, place, roll);
    }

    void close() {
        roll.clear();
    }

    /** Compares a new name with its neighbours by the number of letters to change. */
    static final class TwinWarning implements SignOnListener {
        private final int reach;
        private int warnings;
        private int[] above = new int[64], row = new int[64];

        TwinWarning(int reach) {
            this.reach = reach;
        }

        @Override
        public void signedOn(String name, int place, List<String> roll) {
            int end = Math.min(roll.size(), place + reach + 1);
            for (int i = Math.max(0, place - reach); i < end; i++)
                if (i != place && changes(name, roll.get(i)) <= 2)
                    warnings++;
        }

        private int changes(String a, String b) {
            for (int j = 0; j <= b.length(); j++)
                above[j] = j;
            for (int i = 1; i <= a.length(); i++) {
                row[0] = i;
                for (int j = 1; j <= b.length(); j++) {
                    int swap = above[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                    row[j] = Math.min(swap, Math.min(above[j], row[j - 1]) + 1);
                }
                int[] free = above;
                above = row;
                row = free;
            }
            return above[b.length()];
        }
    }

    /** Counts the runners of each starting wave, which go by the first letter. */
    static final class Waves implements SignOnListener {
        final int[] runners = new int[26];

        @Override
        public void signedOn(String name, int place, List<String> roll) {
            runners[Character.toLowerCase(name.charAt(0)) - 'a']++;
        }
    }

    private static List<String> town(int people) {
        String[] first = {"an", "Ber", "car", "Dor", "el", "Fre", "ger", "Hel", "in", "Jo"};
        String[] last = {"anna", "tha", "mund", "linde", "hard", "wig", "fried", "berta"};
        Random random = new Random(3);
        List<String> names = new ArrayList<>();
        for (int i = 0; i < people; i++)
            names.add(first[random.nextInt(10)] + last[random.nextInt(8)] + " " + first[random.nextInt(10)]
                    + last[random.nextInt(8)] + (char) ('a' + i / 26 % 26) + (char) ('a' + i % 26));
        return names;
    }

    public static void main(String[] args) {
        MusterRoll muster = new MusterRoll();
        TwinWarning twins = new TwinWarning(2);
        Waves waves = new Waves();
        muster.addListener(twins);
        muster.addListener(waves);
        List<String> town = town(500);
        Load.here(() -> {
            for (String name : town)
                muster.signOn(name);
            muster.close();
            Load.kept = twins.warnings + waves.runners[0];
        });
    }
}
