package java.whittle.trial;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;

/** A buffer for a reader that cannot go back to a mark. */
final class FileText extends BufferedReader {
    FileText(Reader reader, int size) {
        super(reader, size);
    }

    @Override
    public boolean markSupported() {
        return false;
    }

    @Override
    public void mark(int limit) throws IOException {
        throw new IOException("mark() not supported");
    }

    @Override
    public void reset() throws IOException {
        throw new IOException("reset() not supported");
    }
}
