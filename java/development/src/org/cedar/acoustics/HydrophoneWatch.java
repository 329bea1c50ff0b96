package org.cedar.acoustics;

import com.acme.load.Load;

/** Listens for the calls of porpoises in the signal of hydrophones: blocks of samples, weighted, and searched for some tones. */
public final class HydrophoneWatch {
    /** A step from a block of samples to a figure: the order of the parts is fixed, the parts are the subclass's. */
    abstract static class Detector {
        protected final int size;
        private final double[] shaped;

        Detector(int size) {
            this.size = size;
            this.shaped = new double[size];
        }

        final double judge(short[] samples) {
            double mean = 0;
            for (short sample : samples)
                mean += sample;
            mean /= size;
            for (int i = 0; i < size; i++)
                shaped[i] = (samples[i] - mean) * weight(i);
            return figure(shaped);
        }

        protected abstract double weight(int i);

        protected abstract double figure(double[] block);
    }

    /** Blackman weights keep a loud ship from leaking into the narrow bands of the animals. */
    abstract static class NarrowBand extends Detector {
        // [new] private final double[] weights;

        NarrowBand(int size) {
            super(size);
            // [new] weights = new double[size];
            // [new] for (int i = 0; i < size; i++) weights[i] = 0.42 - 0.5 * Math.cos(i * 2 * Math.PI / (size - 1)) + 0.08 * Math.cos(i * 4 * Math.PI / (size - 1));
        }

        @Override
        protected double weight(int i) {
            double turn = i * 2 * Math.PI / (size - 1); // [old]
            return 0.42 - 0.5 * Math.cos(turn) + 0.08 * Math.cos(2 * turn); // [call] [edit]
            // [new] return weights[i];
        }
    }

    static final class ToneBank extends NarrowBand {
        private final double[] turns;

        ToneBank(int size, double rate, double... hertz) {
            super(size);
            turns = new double[hertz.length];
            for (int t = 0; t < hertz.length; t++)
                turns[t] = 2 * Math.cos(2 * Math.PI * hertz[t] / rate);
        }

        @Override
        protected double figure(double[] block) {
            double best = 0;
            for (double turn : turns) {
                double last = 0, before = 0;
                for (double value : block) {
                    double now = value + turn * last - before;
                    before = last;
                    last = now;
                }
                best = Math.max(best, last * last + before * before - turn * last * before);
            }
            return best;
        }
    }

    private final short[][] recording = new short[32][2048];
    private final Detector porpoise = new ToneBank(2048, 384_000, 112_000, 118_000, 121_500, 125_000, 128_000, 130_000, 133_500, 137_500, 142_000);
    private int block;

    private HydrophoneWatch() {
        java.util.SplittableRandom sea = new java.util.SplittableRandom(5);
        for (int b = 0; b < recording.length; b++)
            for (int i = 0; i < recording[b].length; i++)
                recording[b][i] = (short) (sea.nextInt(400) - 200 + (b % 5 == 0 ? 900 * Math.sin(i * 2.045) : 0));
    }

    private void second() {
        int heard = 0;
        for (int i = 0; i < 20; i++)
            if (porpoise.judge(recording[block++ % recording.length]) > 1e9)
                heard++;
        Load.kept = heard;
    }

    public static void main(String[] args) {
        Load.onThreads(2, "hydrophone", () -> new HydrophoneWatch()::second);
    }
}
