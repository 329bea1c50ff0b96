package net.hooli.gauge;

import com.acme.load.Load;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Refuses jobs while the process is too large. The size is read before each job. */
public final class MemoryWatch {
    /** The source of the size. */
    interface Meter {
        long pages() throws IOException;
    }

    /** Adds up the address ranges of the process. */
    static final class RangeMeter implements Meter {
        private static final Path RANGES = Path.of("/proc/self/maps"); // [or]

        @Override
        public long pages() throws IOException {
            // [new] return Long.parseLong(Files.readString(Path.of("/proc/self/statm")).split(" ")[0]);
            try (Stream<String> lines = Files.lines(RANGES)) { // [call] [edit]
                return lines.mapToLong(RangeMeter::length).sum() >> 12; // [call] [edit]
            } // [old]
        }

        private static long length(String line) {
            int dash = line.indexOf('-'), end = line.indexOf(' ');
            return Long.parseUnsignedLong(line, dash + 1, end, 16) - Long.parseUnsignedLong(line, 0, dash, 16);
        }
    }

    private final Meter meter;

    MemoryWatch(Meter meter) {
        this.meter = meter;
    }

    boolean mayStart() throws IOException {
        return meter.pages() < 1L << 40; // [or]
    }

    static long job(long seed) {
        long value = seed;
        for (int i = 0; i < 300_000; i++) value = value * 31 + (value >>> 7);
        return value;
    }

    public static void main(String[] arguments) throws IOException {
        List<Object> shards = new ArrayList<>();
        Path data = Files.write(Files.createTempFile("shards", ".bin"), new byte[1 << 20]);
        try (FileChannel channel = FileChannel.open(data)) {
            for (int i = 0; i < 2000; i++) shards.add(channel.map(MapMode.READ_ONLY, i % 127 * 8192, 8192));
        }
        MemoryWatch watch = new MemoryWatch(new RangeMeter());
        Load.onThreads(1, "scheduler", () -> () -> Load.kept = watch.mayStart() ? job(shards.size()) : 0);
    }
}
