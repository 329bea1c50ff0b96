package whittle.workloads.readers;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;

/** Reads single characters from a reader that decodes bytes. It reads many bytes at once, but decodes only a few at once. */
final class RawChars implements TextReader {
    @Override
    public void read(File file, Seen seen) throws IOException {
        try (Reader in = new InputStreamReader(new FileInputStream(file), StandardCharsets.ISO_8859_1)) {
            for (int c; (c = in.read()) != -1; ) {
                seen.look(c);
            }
        }
    }
}
