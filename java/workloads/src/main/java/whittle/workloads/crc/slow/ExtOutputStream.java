package whittle.workloads.crc.slow;

import java.io.*;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32;
import whittle.workloads.crc.CheckedStream;

/**
 * A stream that writes bytes to a file, one by one, and computes their CRC.
 *
 * <p>There are two versions of this class. They differ only in the package and in the line that creates {@code out}.
 */
public final class ExtOutputStream extends CheckedStream {
    private static final int READ_BACK_BYTES = 1 << 16;

    private final OutputStream out;
    /** The same file, to empty it and to read it again. {@code out} appends, so it continues at the new end of the file. */
    private final FileChannel file;
    private final ByteBuffer readBack = ByteBuffer.allocateDirect(READ_BACK_BYTES);
    private final CRC32 crc = new CRC32();
    private final CRC32 fileCrc = new CRC32();
    /** Bytes since reset(). */
    private long documentBytes;
    private long writeCallCount;

    public ExtOutputStream(Path path) throws IOException {
        out = new FileOutputStream(path.toFile(), true);
        file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    @Override
    public void write(int b) throws IOException {
        writeCallCount++;
        documentBytes++;
        crc.update(b);
        out.write(b);
    }

    /** Flushes {@code out} before the file is emptied. Otherwise its bytes would become part of the next document. */
    @Override
    public void reset() throws IOException {
        out.flush();
        file.truncate(0);
        crc.reset();
        documentBytes = 0;
    }

    /** Flushes {@code out} before the file is read again. */
    @Override
    public boolean checkResult() throws IOException {
        out.flush();
        fileCrc.reset();
        long positionBytes = 0;
        for (int readBytes; (readBytes = file.read(readBack.clear(), positionBytes)) > 0; ) {
            fileCrc.update(readBack.flip());
            positionBytes += readBytes;
        }
        return positionBytes == documentBytes && fileCrc.getValue() == crc.getValue();
    }

    @Override
    public long writeCallCount() {
        return writeCallCount;
    }

    @Override
    public void close() throws IOException {
        out.close();
        file.close();
    }
}
