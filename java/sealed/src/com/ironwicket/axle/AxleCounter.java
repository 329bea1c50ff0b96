package com.ironwicket.axle;

import com.acme.load.Load;

import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.Random;

/** Counts axles on railway track: reads the telegrams of the rail contacts and finds the wheels in their signals. */
public final class AxleCounter {
    private static final int SAMPLES = 96, BODY = 4 + 2 * SAMPLES, FRAME = BODY + 2;
    // [new] private static final int[] REMAINDERS = new int[256];
    // [new] static {
    // [new]     for (int i = 0, crc = 0; i < 256; REMAINDERS[i] = crc, crc = ++i)
    // [new]         for (int bit = 0; bit < 8; bit++) crc = (crc & 1) == 0 ? crc >>> 1 : crc >>> 1 ^ 0xA001;
    // [new] }

    record Telegram(int contact, int sequence, short[] signal) {}

    /** Receives what the evaluation finds. */
    interface WheelObserver {
        void wheel(int contact, int position, int strength);
    }

    /** The valid telegrams of a recording of the line. */
    static final class Telegrams implements Iterator<Telegram> {
        private final byte[] line;
        private int at;
        private Telegram next;

        Telegrams(byte[] line) {
            this.line = line;
            advance();
        }

        private void advance() {
            next = null;
            while (next == null && at + FRAME <= line.length) {
                ByteBuffer frame = ByteBuffer.wrap(line, at, FRAME);
                if (checksum(line, at, at + BODY) == (frame.getShort(at + BODY) & 0xFFFF)) {
                    short[] signal = new short[SAMPLES];
                    int contact = frame.getShort(), sequence = frame.getShort();
                    frame.asShortBuffer().get(signal);
                    next = new Telegram(contact, sequence, signal);
                }
                at += FRAME;
            }
        }

        @Override
        public boolean hasNext() {
            return next != null;
        }

        @Override
        public Telegram next() {
            Telegram result = next;
            advance();
            return result;
        }
    }

    static int checksum(byte[] bytes, int from, int to) {
        int crc = 0xFFFF;
        for (int i = from; i < to; i++) {
            crc ^= bytes[i] & 0xFF;
            for (int bit = 0; bit < 8; bit++) crc = (crc & 1) == 0 ? crc >>> 1 : crc >>> 1 ^ 0xA001; // [call] [edit]
            // [new] crc = crc >>> 8 ^ REMAINDERS[crc & 0xFF];
        }
        return crc;
    }

    private static final int[] FILTER = {-2, -5, -3, 6, 19, 31, 36, 31, 19, 6, -3, -5, -2};
    private final int[] lastSequence = new int[8];
    private long lost;

    /** A wheel is where the smoothed signal has risen above a threshold and falls below another one. */
    void evaluate(Iterator<Telegram> telegrams, WheelObserver observer) {
        while (telegrams.hasNext()) {
            Telegram telegram = telegrams.next();
            int gap = telegram.sequence() - lastSequence[telegram.contact()] - 1;
            if (gap > 0)
                lost += gap;
            lastSequence[telegram.contact()] = telegram.sequence();
            int peak = 0;
            for (int i = FILTER.length; i < SAMPLES; i++) {
                int smooth = 0;
                for (int k = 0; k < FILTER.length; k++)
                    smooth += FILTER[k] * telegram.signal()[i - k];
                smooth >>= 7;
                if (smooth > 900)
                    peak = Math.max(peak, smooth);
                else if (smooth < 500 && peak > 0) {
                    observer.wheel(telegram.contact(), i, peak);
                    peak = 0;
                }
            }
        }
    }

    private static byte[] recording(Random random) {
        ByteBuffer line = ByteBuffer.allocate(160 * FRAME);
        for (int n = 0; n < 160; n++) {
            int start = line.position(), wheel = 20 + random.nextInt(60);
            line.putShort((short) (n % 8)).putShort((short) (n / 8));
            for (int i = 0; i < SAMPLES; i++)
                line.putShort((short) (random.nextInt(120) + Math.max(0, 1500 - 120 * Math.abs(i - wheel))));
            line.putShort((short) checksum(line.array(), start, start + BODY));
            if (random.nextInt(20) == 0)
                line.array()[start + 9]++;
        }
        return line.array();
    }

    public static void main(String[] args) {
        Load.onThreads(2, "track", () -> {
            byte[] line = recording(new Random(1435));
            AxleCounter counter = new AxleCounter();
            long[] totals = new long[2];
            WheelObserver totalling = (contact, position, strength) -> {
                totals[0]++;
                totals[1] += strength + position;
            };
            return () -> {
                counter.evaluate(new Telegrams(line), totalling);
                Load.kept = totals[0] * 31 + totals[1] + counter.lost;
            };
        });
    }
}
