package whittle.workloads.readers;

import java.io.BufferedInputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Reads single bytes from a buffered stream, with a lock per byte and a system call per 8192 bytes. */
final class BufferedBytes implements TextReader {
    @Override
    public void read(File file, Seen seen) throws IOException {
        try (InputStream in = new BufferedInputStream(new FileInputStream(file))) {
            for (int b; (b = in.read()) != -1; ) {
                seen.look(b);
            }
        }
    }
}
