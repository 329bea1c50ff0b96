package sample;

import java.util.Random;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** A CRC-32 that is computed bit by bit. Nearly all CPU time is in {@link #bitByBit}. */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@Fork(2)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
public class Checksum {
    private static final int POLYNOMIAL = 0xEDB88320;
    private final byte[] page = new byte[16 << 10];

    @Setup
    public void fill() {
        new Random(1).nextBytes(page);
    }

    @Benchmark
    public int crc() {
        return bitByBit(page);
    }

    static int bitByBit(byte[] bytes) {
        int crc = -1;
        for (byte value : bytes) {
            crc ^= value & 0xFF;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc >>> 1) ^ (-(crc & 1) & POLYNOMIAL);
            }
        }
        return ~crc;
    }
}
