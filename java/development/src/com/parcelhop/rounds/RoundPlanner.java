package com.parcelhop.rounds;

import com.acme.load.Load;
import java.util.List;
import java.util.ArrayList;
import java.util.Random;
import java.util.Vector;

/** Plans the order in which a courier of Parcelhop visits the addresses of one morning. */
public final class RoundPlanner {
    private final int count;
    private final double[] latitude, longitude;
    private final double[][] metres;
    private final List<Integer> order = new Vector<>(); // [edit]
    // [new] private final List<Integer> order = new ArrayList<>();
    private final Random random;

    private RoundPlanner(int count, long seed) {
        this.count = count;
        random = new Random(seed);
        latitude = new double[count];
        longitude = new double[count];
        metres = new double[count][count];
    }

    /** Plans one round; returns its length in metres. */
    private double plan() {
        drawAddresses();
        measure();
        startWithNearest();
        int rounds = 0;
        while (improve() && ++rounds < 12) {
            continue;
        }
        return length() + lateness(rounds);
    }

    private void drawAddresses() {
        for (int i = 0; i < count; i++) {
            latitude[i] = Math.toRadians(52.3 + random.nextDouble() * 0.2);
            longitude[i] = Math.toRadians(4.7 + random.nextDouble() * 0.3);
        }
    }

    private void measure() {
        for (int from = 0; from < count; from++) {
            for (int to = 0; to < count; to++) {
                metres[from][to] = haversine(from, to) * (1 + 0.2 * Math.abs(Math.sin(from * 3.1 + to)));
            }
        }
    }

    private double haversine(int from, int to) {
        double north = Math.sin((latitude[to] - latitude[from]) / 2);
        double east = Math.sin((longitude[to] - longitude[from]) / 2);
        double a = north * north + Math.cos(latitude[from]) * Math.cos(latitude[to]) * east * east;
        return 2 * 6_371_000 * Math.atan2(Math.sqrt(a), Math.sqrt(1 - a));
    }

    private void startWithNearest() {
        order.clear();
        boolean[] visited = new boolean[count];
        int at = 0;
        for (int step = 0; step < count; step++) {
            order.add(at);
            visited[at] = true;
            int nearest = -1;
            for (int to = 0; to < count; to++) {
                if (!visited[to] && (nearest < 0 || metres[at][to] < metres[at][nearest])) nearest = to;
            }
            at = Math.max(nearest, 0);
        }
    }

    /** Turns parts of the round where that makes it shorter. */
    private boolean improve() {
        boolean better = false;
        for (int i = 1; i < count - 2; i++) {
            for (int k = i + 1; k < count - 1; k++) {
                int before = order.get(i - 1), first = order.get(i);
                int last = order.get(k), after = order.get(k + 1); // [call]
                double gain = metres[before][first] + metres[last][after] - metres[before][last] - metres[first][after];
                if (gain > 1e-6) {
                    turn(i, k);
                    better = true;
                }
            }
        }
        return better;
    }

    private void turn(int from, int to) {
        for (; from < to; from++, to--) {
            Integer kept = order.get(from);
            order.set(from, order.get(to));
            order.set(to, kept);
        }
    }

    private double length() {
        double sum = 0;
        for (int i = 1; i < count; i++) sum += metres[order.get(i - 1)][order.get(i)];
        return sum;
    }

    /** Minutes that the courier comes too late, over a number of mornings with other traffic. */
    private double lateness(int rounds) {
        double late = 0;
        int[] stops = order.stream().mapToInt(Integer::intValue).toArray();
        for (int morning = 0; morning < 250; morning++) {
            double clock = 0;
            for (int i = 1; i < count; i++) {
                double pace = 380 + 120 * Math.sin(morning * 0.7 + clock / 60 + rounds);
                clock += metres[stops[i - 1]][stops[i]] / pace + 1.5;
                late += Math.max(0, clock - 180 - 2 * stops[i]);
            }
        }
        return late / 250;
    }

    public static void main(String[] args) {
        Load.onThreads(2, "planner", () -> {
            RoundPlanner planner = new RoundPlanner(70, 31);
            return () -> Load.kept = planner.plan();
        });
    }
}
