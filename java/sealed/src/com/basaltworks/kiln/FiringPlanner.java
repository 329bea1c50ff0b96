package com.basaltworks.kiln;

import com.acme.load.Load;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Simulates how heat enters the bricks of a kiln, and chooses the burner programme that wastes least gas. */
public final class FiringPlanner {
    sealed interface Phase permits Ramp, Hold {
        double target(double before, double progress);

        int steps();
    }

    record Ramp(double to, int steps) implements Phase {
        @Override
        public double target(double before, double progress) {
            return before + (to - before) * progress;
        }
    }

    record Hold(int steps) implements Phase {
        @Override
        public double target(double before, double progress) {
            return before;
        }
    }

    record Outcome(double core, double gas, long residentKb) {}

    /** Told about every firing that was simulated. */
    interface Listener {
        void simulated(double core, double gas) throws IOException;
    }

    /** Remembers the outcomes together with the memory that the planner used then, for the shift's log. */
    static final class ShiftLog implements Listener {
        private static final Path MEMORY = Path.of("/proc/self/smaps_rollup"); // [edit]
        // [new] private static final Path MEMORY = Path.of("/proc/self/statm");
        private final List<Outcome> outcomes = new ArrayList<>();

        @Override
        public void simulated(double core, double gas) throws IOException {
            if (outcomes.size() >= 200)
                outcomes.clear();
            outcomes.add(new Outcome(core, gas, residentKb()));
        }

        private static long residentKb() throws IOException {
            String text = Files.readString(MEMORY); // [call] [or]
            int at = text.indexOf("Rss:") + 4; // [old]
            // [new] int at = text.indexOf(' ') + 1;
            int end = text.indexOf(" kB", at); // [old]
            // [new] int end = text.indexOf(' ', at);
            return Long.parseLong(text.substring(at, end).strip()); // [old]
            // [new] return 4 * Long.parseLong(text.substring(at, end));
        }
    }

    private final double[][] bricks = new double[48][64];
    private final Random random;
    private final List<Listener> listeners = new ArrayList<>();

    FiringPlanner(long seed) {
        random = new Random(seed);
    }

    void listen(Listener listener) {
        listeners.add(listener);
    }

    void plan() throws IOException {
        List<Phase> programme = List.of(new Ramp(300 + random.nextInt(200), 60), new Hold(40),
                new Ramp(900 + random.nextInt(250), 90), new Hold(60 + random.nextInt(30)), new Ramp(200, 80));
        for (double[] row : bricks)
            java.util.Arrays.fill(row, 20);
        double burner = 20, gas = 0;
        for (Phase phase : programme) {
            double before = burner;
            for (int step = 1; step <= phase.steps(); step++) {
                double wanted = phase.target(before, (double) step / phase.steps());
                gas += Math.max(0, wanted - burner) + 0.002 * wanted;
                burner = wanted;
                conduct(burner);
            }
        }
        for (Listener listener : listeners)
            listener.simulated(bricks[24][32], gas);
        Load.kept = gas;
    }

    private void conduct(double burner) {
        int last = bricks.length - 1;
        for (int y = 1; y < last; y++) {
            double[] up = bricks[y - 1], row = bricks[y], down = bricks[y + 1];
            for (int x = 1; x < row.length - 1; x++)
                row[x] += 0.2 * (up[x] + down[x] + row[x - 1] + row[x + 1] - 4 * row[x]);
            row[0] = row[row.length - 1] = burner;
        }
        java.util.Arrays.fill(bricks[0], burner);
        java.util.Arrays.fill(bricks[last], burner);
    }

    public static void main(String[] args) {
        Load.onThreads(2, "kiln", () -> {
            FiringPlanner planner = new FiringPlanner(1200);
            planner.listen(new ShiftLog());
            return planner::plan;
        });
    }
}
