package com.deepquarry.tremor;

import com.acme.load.Load;
import java.util.ArrayDeque;
import java.util.concurrent.Flow;

/** Watches the walls of a quarry: blocks of ground motion flow through a filter into a trigger that compares now with before. */
public final class TremorWatch {
    /** One block of motion on three axes. */
    record Block(long firstTick, double[] north, double[] east, double[] up) {
        int length() {
            return up.length;
        }
    }

    abstract static class Link implements Flow.Subscriber<Block> {
        @Override
        public void onSubscribe(Flow.Subscription subscription) {}

        @Override
        public void onError(Throwable failure) {
            failure.printStackTrace();
        }

        @Override
        public void onComplete() {}
    }

    /** Passes each block on, after a cascade of second-order sections took out hum and swell. */
    static final class Filter extends Link {
        private static final double[][] SECTIONS = {
            {0.9391, -1.8782, 0.9391, -1.8745, 0.8819}, {0.0976, 0.1953, 0.0976, -0.9428, 0.3333},
            {0.9752, -1.9131, 0.9752, -1.9131, 0.9504}, {0.2066, 0.4131, 0.2066, -0.3695, 0.1958},
            {0.9604, -1.8920, 0.9604, -1.8920, 0.9208}, {0.9846, -1.9500, 0.9846, -1.9500, 0.9692},
            {0.2929, 0.5858, 0.2929, 0.0000, 0.1716}, {0.9150, -1.8300, 0.9150, -1.8227, 0.8372},
        };
        private final double[][][] memory = new double[3][SECTIONS.length][2];
        private final Link next;

        Filter(Link next) {
            this.next = next;
        }

        @Override
        public void onNext(Block block) {
            pass(block.north(), memory[0]);
            pass(block.east(), memory[1]);
            pass(block.up(), memory[2]);
            next.onNext(block);
        }

        private static void pass(double[] motion, double[][] state) {
            for (int s = 0; s < SECTIONS.length; s++) {
                double[] c = SECTIONS[s];
                double first = state[s][0], second = state[s][1];
                for (int i = 0; i < motion.length; i++) {
                    double in = motion[i], out = c[0] * in + first;
                    first = c[1] * in - c[3] * out + second;
                    second = c[2] * in - c[4] * out;
                    motion[i] = out;
                }
                state[s][0] = first;
                state[s][1] = second;
            }
        }
    }

    record Motion(double north, double east, double up) { // [old]
        double energy() { // [old]
            return north * north + east * east + up * up; // [old]
        } // [old]
    } // [old]

    record Sample(long tick, Motion motion) {} // [old]

    /** Raises an alarm when the ground moves much more than in the last minutes. */
    static final class Trigger extends Link {
        private final int span;
        private final ArrayDeque<Sample> before = new ArrayDeque<>(); // [old]
        // [new] private final double[] before; private long seen;
        private double recent, background;
        long alarms, lastAlarm;

        Trigger(int span) {
            this.span = span;
            // [new] before = new double[span];
        }

        @Override
        public void onNext(Block block) {
            for (int i = 0; i < block.length(); i++) {
                long tick = block.firstTick() + i;
                Sample sample = new Sample(tick, new Motion(block.north()[i], block.east()[i], block.up()[i])); // [call] [edit]
                double energy = sample.motion().energy(); // [old]
                before.addLast(sample); // [old]
                background += energy - (before.size() > span ? before.removeFirst().motion().energy() : 0); // [old]
                // [new] double n = block.north()[i], e = block.east()[i], u = block.up()[i], energy = n * n + e * e + u * u;
                // [new] int place = (int) (seen++ % span);
                // [new] background += energy - before[place];
                // [new] before[place] = energy;
                recent += (energy - recent) / 64;
                if (recent * span > 9 * background && tick > lastAlarm + 500) {
                    alarms++;
                    lastAlarm = tick;
                }
            }
            Load.kept = alarms * 1_000_000_007 + lastAlarm;
        }
    }

    public static void main(String[] args) {
        Load.onThreads(2, "station", () -> {
            Filter filter = new Filter(new Trigger(600_000));
            var ground = new Object() { long tick, noise = 0x2545f4914f6cdd1dL; };
            return () -> {
                double[][] axes = new double[3][4000];
                for (int i = 0; i < 4000; i++)
                    for (double[] axis : axes) {
                        ground.noise ^= ground.noise << 13;
                        ground.noise ^= ground.noise >>> 7;
                        ground.noise ^= ground.noise << 17;
                        axis[i] = (ground.noise >> 40) * ((ground.tick + i) % 300_000 < 300 ? 1e-4 : 1e-5);
                    }
                filter.onNext(new Block(ground.tick, axes[0], axes[1], axes[2]));
                ground.tick += 4000;
            };
        });
    }
}
