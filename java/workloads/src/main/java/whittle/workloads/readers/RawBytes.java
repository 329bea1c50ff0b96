package whittle.workloads.readers;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Reads single bytes from the file, with a system call for each byte. */
final class RawBytes implements TextReader {
    @Override
    public void read(File file, Seen seen) throws IOException {
        try (InputStream in = new FileInputStream(file)) {
            for (int b; (b = in.read()) != -1; ) {
                seen.look(b);
            }
        }
    }
}
