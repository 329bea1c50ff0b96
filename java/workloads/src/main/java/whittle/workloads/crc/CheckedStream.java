package whittle.workloads.crc;

import java.io.IOException;
import java.io.OutputStream;

/**
 * An output file with a checksum: the common interface of the slow and the fixed stream.
 *
 * <p>Use: {@link #reset()}, any number of writes, {@link #checkResult()}; then the next document.
 */
public abstract class CheckedStream extends OutputStream {
    /** Starts the next document: an empty file and an empty checksum. */
    public abstract void reset() throws IOException;

    /** Whether the file contains exactly the bytes that were written since {@link #reset()}. */
    public abstract boolean checkResult() throws IOException;

    /** Calls of {@code write(int)} since the stream was created, for all documents. */
    public abstract long writeCallCount();
}
