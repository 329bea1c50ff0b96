package whittle.workloads.readers;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;

/** Reads 1 KB of characters at a time into its own buffer. */
final class OwnCharBuffer implements TextReader {
    private final char[] buffer = new char[1024];

    @Override
    public void read(File file, Seen seen) throws IOException {
        try (Reader in = new InputStreamReader(new FileInputStream(file), StandardCharsets.ISO_8859_1)) {
            for (int length; (length = in.read(buffer)) != -1; ) {
                for (int i = 0; i < length; i++) {
                    seen.look(buffer[i]);
                }
            }
        }
    }
}
