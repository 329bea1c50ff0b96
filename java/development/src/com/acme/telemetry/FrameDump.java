package com.acme.telemetry;

import com.acme.load.Load;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Decodes a dump of sensor frames: a tag, a variable-length number, a value. */
public final class FrameDump {
    /** Opens dumps. A subclass could fetch them from another place. */
    static class Dumps {
        InputStream open(Path path) throws IOException {
            return new FileInputStream(path.toFile()); // [edit]
            // [new] return new java.io.BufferedInputStream(new FileInputStream(path.toFile()));
        }
    }

    /** Numbers as protocol buffers write them: seven bits per byte. */
    static final class FrameReader {
        private final DataInputStream in;

        FrameReader(InputStream in) {
            this.in = new DataInputStream(in); // [or]
        }

        long next() throws IOException {
            byte tag = in.readByte(); // [call]
            long value = 0;
            for (int shift = 0; shift < 64; shift += 7) {
                byte bits = in.readByte(); // [call]
                value |= (long) (bits & 0x7f) << shift;
                if (bits >= 0) break;
            }
            return tag * 1_000_003L + value;
        }
    }

    static Path write() throws IOException {
        byte[] bytes = new byte[30_000];
        for (int i = 0; i < bytes.length; i++) bytes[i] = (byte) (i % 3 == 1 ? i | 0x80 : i & 0x7f);
        return Files.write(Files.createTempFile("frames", ".dump"), bytes);
    }

    static long decode(Dumps dumps, Path path) throws IOException {
        long sum = 0;
        try (InputStream in = dumps.open(path)) {
            FrameReader reader = new FrameReader(in);
            for (;;) sum = sum * 31 + reader.next();
        } catch (EOFException end) {
            return sum;
        }
    }

    static double smooth(long seed) {
        double value = seed;
        for (int i = 0; i < 150_000; i++) value = value * 0.999 + Math.sqrt(i);
        return value;
    }

    public static void main(String[] arguments) throws Exception {
        Path path = write();
        Dumps dumps = new Dumps();
        Load.here(() -> Load.kept = smooth(decode(dumps, path)));
    }
}
