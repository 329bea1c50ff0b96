package whittle.workloads.truth.waits;

import com.sun.nio.file.ExtendedOpenOption;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A wait for a disk. The disk determines its length. */
abstract class FileWait extends Wait {
    private static final int FILE_BYTES = 16 << 20;
    private static final int READ_BYTES = 1 << 20;
    private static final int WRITE_BYTES = 64 << 10;

    private FileWait(String name) {
        super(name, "file");
    }

    @Override
    public boolean canStayOpen() {
        return false;
    }

    private static Path temporaryFile(Path directory) throws IOException {
        Path path = Files.createTempFile(directory, "whittle-blocked-", ".out");
        path.toFile().deleteOnExit();
        return path;
    }

    /** Writes to a file, and waits until it is on the disk. */
    static final class Sync extends FileWait {
        private final FileChannel file;
        private final ByteBuffer bytes = ByteBuffer.allocateDirect(WRITE_BYTES);

        Sync(Path directory) throws IOException {
            super("fsync");
            file = FileChannel.open(temporaryFile(directory), StandardOpenOption.WRITE);
        }

        @Override
        public void waitOnce() throws IOException {
            file.write(bytes.clear(), 0);
            file.force(true);
        }
    }

    /** Reads a file from the disk without the kernel's cache. Fails at the start if the file system does not support this. */
    static final class DirectRead extends FileWait {
        private final FileChannel file;
        private final ByteBuffer bytes;
        private long positionBytes;

        DirectRead(Path directory) throws IOException {
            super("direct-read");
            Path path = temporaryFile(directory);
            try (FileChannel out = FileChannel.open(path, StandardOpenOption.WRITE)) {
                out.write(ByteBuffer.allocate(FILE_BYTES));
                out.force(true);
            }
            file = FileChannel.open(path, StandardOpenOption.READ, ExtendedOpenOption.DIRECT);
            int blockBytes = (int) Files.getFileStore(path).getBlockSize();
            bytes = ByteBuffer.allocateDirect(READ_BYTES + blockBytes).alignedSlice(blockBytes).limit(READ_BYTES);
        }

        @Override
        public void waitOnce() throws IOException {
            int readBytes = file.read(bytes.rewind(), positionBytes);
            if (readBytes != READ_BYTES) {
                throw new IOException("read " + readBytes + " bytes, wanted " + READ_BYTES);
            }
            positionBytes = (positionBytes + READ_BYTES) % FILE_BYTES;
        }
    }
}
