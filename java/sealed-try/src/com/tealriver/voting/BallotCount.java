package com.tealriver.voting;

import com.acme.load.Load;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;

/** Counts ranked ballots: the weakest candidate leaves until one has more than half. */
public final class BallotCount {
    private static final int CANDIDATES = 300;

    /** The votes of a round. */
    static final class Tally {
        private final Map<Integer, Integer> votes = new HashMap<>(); // [edit]
        // [new] private final int[] votes = new int[CANDIDATES];

        void vote(int candidate) {
            votes.merge(candidate, 1, Integer::sum); // [call] [edit]
            // [new] votes[candidate]++;
        }

        int of(int candidate) {
            return votes.getOrDefault(candidate, 0); // [edit]
            // [new] return votes[candidate];
        }
    }

    private final short[][] ballots;

    BallotCount(int voters) {
        Random random = new Random(1789);
        ballots = new short[voters][9];
        for (short[] ballot : ballots)
            for (int rank = 0; rank < ballot.length; rank++)
                ballot[rank] = (short) (Math.abs(random.nextGaussian()) * 90 % CANDIDATES);
    }

    private static int first(short[] ballot, boolean[] out) {
        for (short candidate : ballot)
            if (!out[candidate])
                return candidate;
        return -1;
    }

    void count() {
        boolean[] out = new boolean[CANDIDATES];
        long protocol = 0;
        for (int round = 0; round < 24; round++) {
            Tally tally = new Tally();
            for (short[] ballot : ballots) {
                int candidate = first(ballot, out);
                if (candidate >= 0)
                    tally.vote(candidate);
            }
            int weakest = -1;
            for (int candidate = 0; candidate < CANDIDATES; candidate++)
                if (!out[candidate] && (weakest < 0 || tally.of(candidate) < tally.of(weakest)))
                    weakest = candidate;
            out[weakest] = true;
            protocol = protocol * 31 + weakest * 7L + tally.of(weakest);
        }
        Load.kept = protocol;
    }

    public static void main(String[] args) {
        Load.onThreads(2, "count", () -> new BallotCount(3_000)::count);
    }
}
