package com.pinegrove.weir;

import com.acme.load.Load;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/** Smooths the readings of river gauges and packs each hour's batch for the spool that the uplink empties a minute later. */
public final class GaugeArchive {
    /** A step that every batch passes through. */
    abstract static class Stage<I, O> {
        final O pass(I input) {
            O output = apply(input);
            passed++;
            return output;
        }

        protected abstract O apply(I input);

        long passed;
    }

    static final class Smoothing extends Stage<double[], double[]> {
        private static final int SPAN = 95;

        @Override
        protected double[] apply(double[] levels) {
            double[] smooth = new double[levels.length];
            double[] window = new double[SPAN];
            for (int i = 0; i < levels.length; i++) {
                int from = Math.max(0, Math.min(i - SPAN / 2, levels.length - SPAN));
                System.arraycopy(levels, from, window, 0, SPAN);
                Arrays.sort(window);
                smooth[i] = (window[SPAN / 2 - 1] + window[SPAN / 2] + window[SPAN / 2 + 1]) / 3;
            }
            return smooth;
        }
    }

    static final class Rendering extends Stage<double[], byte[]> {
        private final String gauge;

        Rendering(String gauge) {
            this.gauge = gauge;
        }

        @Override
        protected byte[] apply(double[] levels) {
            StringBuilder text = new StringBuilder(levels.length * 24);
            for (int i = 0; i < levels.length; i++) {
                long millimetres = Math.round(levels[i] * 1000);
                text.append(gauge).append(";t=").append(i * 5).append(";mm=").append(millimetres)
                        .append(millimetres > 2600 ? ";HIGH\n" : ";ok\n");
            }
            return text.toString().getBytes(StandardCharsets.US_ASCII);
        }
    }

    static final class Packing extends Stage<byte[], ByteBuffer> {
        private final Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION, true); // [edit]
        // [new] private final Deflater deflater = new Deflater(3, true);
        private final byte[] block = new byte[16 * 1024];

        @Override
        protected ByteBuffer apply(byte[] plain) {
            ByteBuffer packed = ByteBuffer.allocate(plain.length + 64);
            deflater.reset();
            deflater.setInput(plain);
            deflater.finish();
            while (!deflater.finished()) {
                int length = deflater.deflate(block); // [call]
                packed.put(block, 0, length);
            }
            CRC32 check = new CRC32();
            check.update(plain);
            return packed.putInt((int) check.getValue()).flip();
        }
    }

    private final Smoothing smoothing = new Smoothing();
    private final Rendering rendering;
    private final Packing packing = new Packing();
    private final List<double[]> hours = new ArrayList<>();
    private int hour;

    GaugeArchive(String gauge, long seed) {
        rendering = new Rendering(gauge);
        Random random = new Random(seed);
        for (int h = 0; h < 12; h++) {
            double[] levels = new double[720];
            double level = 2 + random.nextDouble();
            for (int i = 0; i < levels.length; i++) {
                level += random.nextGaussian() * 0.004;
                levels[i] = random.nextInt(40) == 0 ? level + 0.5 : level;
            }
            hours.add(levels);
        }
    }

    int archiveHour() {
        double[] levels = hours.get(hour++ % hours.size());
        return packing.pass(rendering.pass(smoothing.pass(levels))).remaining();
    }

    public static void main(String[] args) {
        Load.onThreads(2, "archive", () -> {
            GaugeArchive archive = new GaugeArchive("weir-alder-07", 99);
            return () -> Load.kept = archive.archiveHour();
        });
    }
}
