package net.hooli.archive;

import com.acme.load.Load;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.GZIPOutputStream;

/** Packs samples of a sensor, as differences in numbers of variable length. */
public final class Archiver {
    /** The destination of packed numbers. */
    static final class Numbers implements AutoCloseable {
        private final OutputStream packed;

        Numbers(OutputStream file) throws IOException {
            packed = new GZIPOutputStream(file); // [edit]
            // [new] packed = new java.io.BufferedOutputStream(new GZIPOutputStream(file), 8192);
        }

        void put(int number) throws IOException {
            int rest = number << 1 ^ number >> 31;
            while (rest > 0x7f) {
                packed.write(rest & 0x7f | 0x80); // [call]
                rest >>>= 7;
            }
            packed.write(rest); // [call]
        }

        @Override
        public void close() throws IOException {
            packed.close();
        }
    }

    static int[] day() {
        int[] samples = new int[20_000];
        for (int i = 0; i < samples.length; i++) samples[i] = (int) (1000 * Math.sin(i / 300.0)) + i * 7919 % 5;
        return samples;
    }

    static int archive(int[] samples) throws IOException {
        ByteArrayOutputStream file = new ByteArrayOutputStream(1 << 16);
        try (Numbers numbers = new Numbers(file)) {
            int last = 0;
            for (int sample : samples) {
                numbers.put(sample - last);
                last = sample;
            }
        }
        return file.size();
    }

    public static void main(String[] arguments) {
        int[] samples = day();
        Load.onThreads(2, "archive", () -> () -> Load.kept = archive(samples));
    }
}
