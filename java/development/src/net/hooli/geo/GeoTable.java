package net.hooli.geo;

import com.acme.load.Load;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;

/** Countries by address: a binary search in a sorted file of ranges. */
public final class GeoTable {
    private static final int RECORD_BYTES = 8, RECORDS = 1 << 16;

    /** A view of the file, which ends when the lookup ends. */
    static final class Window implements AutoCloseable {
        private final ByteBuffer ranges;

        Window(RandomAccessFile file) throws IOException {
            ranges = file.getChannel().map(MapMode.READ_ONLY, 0, (long) RECORDS * RECORD_BYTES); // [call] [edit]
            // [new] if (kept == null) kept = file.getChannel().map(MapMode.READ_ONLY, 0, (long) RECORDS * RECORD_BYTES);
            // [new] ranges = kept;
        }

        // [new] private static volatile MappedByteBuffer kept;

        int country(int address) {
            int low = 0, high = RECORDS - 1;
            while (low < high) {
                int middle = (low + high + 1) >>> 1;
                if (ranges.getInt(middle * RECORD_BYTES) <= address) low = middle; else high = middle - 1;
            }
            return ranges.getInt(low * RECORD_BYTES + 4);
        }

        @Override
        public void close() {
            Unmapping.free(ranges); // [call] [old]
        }
    }

    /** Ends a mapping at once, in the way that libraries use before Java 22. */
    static final class Unmapping {
        static void free(ByteBuffer buffer) {
            UNSAFE.invokeCleaner(buffer); // [call]
        }

        private static final sun.misc.Unsafe UNSAFE;
        static {
            try {
                var field = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
                field.setAccessible(true);
                UNSAFE = (sun.misc.Unsafe) field.get(null);
            } catch (ReflectiveOperationException absent) {
                throw new ExceptionInInitializerError(absent);
            }
        }
    }

    public static void main(String[] arguments) throws IOException {
        ByteBuffer table = ByteBuffer.allocate(RECORDS * RECORD_BYTES);
        for (int i = 0; i < RECORDS; i++) table.putInt(i * 30_000).putInt(i % 250);
        Path path = Files.write(Files.createTempFile("geo", ".bin"), table.array());
        RandomAccessFile file = new RandomAccessFile(path.toFile(), "r");
        Load.onThreads(2, "lookup", () -> () -> {
            int address = ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE), sum = 0;
            for (int i = 0; i < 10; i++) try (Window window = new Window(file)) { sum += window.country(address + i); } // [or]
            for (int i = 0; i < 20_000; i++) sum = sum * 31 + (address ^ i);
            Load.kept = sum;
        });
    }
}
