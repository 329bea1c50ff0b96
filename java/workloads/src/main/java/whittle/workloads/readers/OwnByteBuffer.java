package whittle.workloads.readers;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Reads 1 KB of bytes at a time into its own buffer: no lock and no call for a single byte. */
final class OwnByteBuffer implements TextReader {
    private final byte[] buffer = new byte[1024];

    @Override
    public void read(File file, Seen seen) throws IOException {
        try (InputStream in = new FileInputStream(file)) {
            for (int length; (length = in.read(buffer)) != -1; ) {
                for (int i = 0; i < length; i++) {
                    seen.look(buffer[i]);
                }
            }
        }
    }
}
