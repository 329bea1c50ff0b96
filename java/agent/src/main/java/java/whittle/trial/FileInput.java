package java.whittle.trial;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;

/** A buffer for the stream of a file. It skips as far as the stream does, and cannot go back to a mark either. */
final class FileInput extends BufferedInputStream {
    FileInput(InputStream stream, int size) {
        super(stream, size);
    }

    /** The stream is ahead by the bytes in the buffer. Some streams also skip backwards. */
    @Override
    public synchronized long skip(long wanted) throws IOException {
        int ahead = count - pos;
        if (in == null || wanted == 0) {
            return super.skip(wanted);
        }
        if (wanted > 0 && wanted <= ahead) {
            pos += (int) wanted;
            return wanted;
        }
        long moved = in.skip(wanted - ahead);
        if (wanted < 0 && moved == 0) {
            return 0;
        }
        pos = 0;
        count = 0;
        return moved + ahead;
    }

    @Override
    public boolean markSupported() {
        return false;
    }

    @Override
    public void mark(int limit) {
        // The stream of a file ignores this.
    }

    @Override
    public void reset() throws IOException {
        throw new IOException("mark/reset not supported");
    }
}
