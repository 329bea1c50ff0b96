package whittle.workloads.crc;

import java.io.IOException;
import java.io.OutputStream;

/**
 * An output file with a checksum: what the slow and the fixed stream have in common for their user.
 *
 * <p>Use: {@link #reset()}, any number of writes, {@link #checkResult()}; then the next document.
 */
public abstract class CheckedStream extends OutputStream {
    /** Starts the next document: an empty file and an empty checksum. */
    public abstract void reset() throws IOException;

    /** Whether the file holds exactly the bytes written since {@link #reset()}. */
    public abstract boolean checkResult() throws IOException;

    /** Calls of {@code write(int)} since the stream was made, over all documents. */
    public abstract long writeCallCount();
}
