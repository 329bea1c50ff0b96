package net.hooli.wal;

import com.acme.load.Load;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/** Transactions are logged before they are applied. */
public final class WriteAhead {
    record Change(int key, long value) {}

    /** The log file. It starts from the beginning when it is long enough. */
    static final class Log {
        private final FileOutputStream file;
        private long written;

        Log(Path path) throws IOException {
            file = new FileOutputStream(path.toFile());
        }

        void append(Change change) throws IOException {
            file.write(ByteBuffer.allocate(64).putInt(change.key()).putLong(change.value()).array());
            harden(); // [or]
            if (++written % 4096 == 0) file.getChannel().truncate(0).position(0);
        }

        private void harden() throws IOException {
            file.getFD().sync(); // [call] [edit]
            // [new] if (written % 50 == 49) file.getFD().sync();
        }
    }

    static long apply(Change change) {
        long value = change.value();
        for (int i = 0; i < 40_000; i++) value = value * 31 + (value >>> 7);
        return value;
    }

    static void transaction(Log log, List<Change> changes) throws IOException {
        long sum = 0;
        for (Change change : changes) {
            log.append(change);
            sum += apply(change);
        }
        Load.kept = sum;
    }

    public static void main(String[] arguments) throws IOException {
        Path folder = Files.createTempDirectory("wal");
        Log log = new Log(folder.resolve("log"));
        List<Change> changes = IntStream.range(0, 50).mapToObj(i -> new Change(i, i * 31L)).toList();
        Load.onThreads(1, "commit", () -> () -> transaction(log, changes));
    }
}
