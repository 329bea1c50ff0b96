package whittle.workloads.crc.slow;

import java.io.*;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32;
import whittle.workloads.crc.CheckedStream;

/**
 * A stream that keeps a CRC of what passes through and writes it, byte by byte, to a file.
 *
 * <p>There are two of this class. They differ in their package and in the one line that makes {@code out}.
 */
public final class ExtOutputStream extends CheckedStream {
    private static final int READ_BACK_BYTES = 1 << 16;

    private final OutputStream out;
    /** The same file, to empty it and to read it back; {@code out} appends, so it follows a truncation. */
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

    /** What {@code out} still holds must reach the file before it is emptied, or it would end up in the next document. */
    @Override
    public void reset() throws IOException {
        out.flush();
        file.truncate(0);
        crc.reset();
        documentBytes = 0;
    }

    /** What {@code out} still holds must reach the file before it is read back. */
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
