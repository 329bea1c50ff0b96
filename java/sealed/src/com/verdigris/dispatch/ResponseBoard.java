package com.verdigris.dispatch;

import com.acme.load.Load;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Sends ambulances to incidents, and rates how fast they arrive compared with the last weeks of the district. */
public final class ResponseBoard {
    private static final int CITY = 96;

    /** The last response times of a district; a new one takes the place of the oldest. */
    static final class RecentTimes {
        private final Duration[] times;
        private int next;
        // [new] private Duration[] ordered;

        RecentTimes(int size, Random random) {
            times = new Duration[size];
            for (int i = 0; i < size; i++)
                times[i] = Duration.ofMillis(120_000 + random.nextInt(900_000));
        }

        void add(Duration time) {
            times[next] = time;
            next = (next + 1) % times.length;
            // [new] ordered = null;
        }

        Duration quantile(double share) {
            Duration[] ordered = times.clone(); // [old]
            Arrays.sort(ordered); // [call] [edit]
            // [new] if (ordered == null)
            // [new]     Arrays.sort(ordered = times.clone());
            return ordered[(int) (share * (ordered.length - 1))];
        }
    }

    /** A rating of one arrival. Subclasses say what the limit of the district is. */
    abstract static class Rating {
        private long exceeded;

        abstract Duration limit(RecentTimes recent);

        final void rate(RecentTimes recent, Duration time) {
            Duration over = time.minus(limit(recent));
            if (!over.isNegative())
                exceeded += over.toSeconds();
        }
    }

    static final class SlowerThanUsual extends Rating {
        @Override
        Duration limit(RecentTimes recent) {
            return recent.quantile(0.5).plusSeconds(90);
        }
    }

    static final class ContractBreach extends Rating {
        @Override
        Duration limit(RecentTimes recent) {
            return recent.quantile(0.9);
        }
    }

    static final class Ambulance {
        int x, y;
        long freeAt;
    }

    private final Random random = new Random(112);
    private final int[][] slowness = new int[CITY][CITY];
    private final Ambulance[] fleet = new Ambulance[90];
    private final RecentTimes[] districts = new RecentTimes[9];
    private final List<Rating> ratings = List.of(new SlowerThanUsual(), new ContractBreach());
    private long clock;

    ResponseBoard() {
        for (int[] row : slowness)
            Arrays.setAll(row, column -> 4_000 + random.nextInt(9_000));
        for (int i = 0; i < fleet.length; i++)
            fleet[i] = new Ambulance();
        Arrays.setAll(districts, district -> new RecentTimes(260, random));
    }

    /** The way goes diagonally first and then along the longer side. */
    private long driveMillis(Ambulance from, int x, int y) {
        int column = from.x, row = from.y;
        long millis = 45_000;
        while (column != x || row != y) {
            column += Integer.signum(x - column);
            row += Integer.signum(y - row);
            millis += slowness[row][column];
        }
        return millis;
    }

    private void incident(int x, int y) {
        Ambulance nearest = null;
        long best = Long.MAX_VALUE;
        for (Ambulance candidate : fleet) {
            long millis = driveMillis(candidate, x, y) + Math.max(0, candidate.freeAt - clock);
            if (millis < best) {
                best = millis;
                nearest = candidate;
            }
        }
        nearest.x = x;
        nearest.y = y;
        nearest.freeAt = clock + best + 1_500_000;
        RecentTimes district = districts[y / 32 * 3 + x / 32];
        Duration taken = Duration.ofMillis(best);
        for (Rating rating : ratings)
            rating.rate(district, taken);
        district.add(taken);
    }

    void shift() {
        for (int call = 0; call < 60; call++) {
            clock += random.nextInt(60_000);
            incident(random.nextInt(CITY), random.nextInt(CITY));
        }
        Load.kept = ratings.get(0).exceeded * 31 + ratings.get(1).exceeded;
    }

    public static void main(String[] args) {
        Load.onThreads(2, "control", () -> new ResponseBoard()::shift);
    }
}
