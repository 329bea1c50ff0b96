package whittle.workloads.readers;

import java.io.BufferedReader;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;

/** Reads single characters from a buffered reader, with a lock per character. Decodes many characters at once. */
final class BufferedChars implements TextReader {
    @Override
    public void read(File file, Seen seen) throws IOException {
        Reader decoder = new InputStreamReader(new FileInputStream(file), StandardCharsets.ISO_8859_1);
        try (Reader in = new BufferedReader(decoder)) {
            for (int c; (c = in.read()) != -1; ) {
                seen.look(c);
            }
        }
    }
}
