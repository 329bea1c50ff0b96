package java.whittle.trial;

import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.Writer;

/**
 * Wraps streams with buffers.
 *
 * <p>A stream that is never closed or flushed loses its last bytes. Nothing repairs this: the fix in the source would lose them too.
 * The report says how many streams still had bytes or characters in their buffers.
 */
public final class Buffers {
    private static final int SIZE_BYTES = 8192;

    private Buffers() {
    }

    /** Collects bytes in a buffer. */
    public static OutputStream output(OutputStream stream, int place) {
        Places.count(place);
        return stream == null ? null : new HeldOutput(stream, SIZE_BYTES, place);
    }

    /** Reads bytes ahead. */
    public static InputStream input(InputStream stream, int place) {
        Places.count(place);
        return stream == null ? null : new FileInput(stream, SIZE_BYTES);
    }

    /** Collects characters in a buffer. */
    public static Writer writer(Writer writer, int place) {
        Places.count(place);
        return new HeldWriter(writer, SIZE_BYTES, place);
    }

    /** Reads characters ahead. */
    public static Reader reader(Reader reader, int place) {
        Places.count(place);
        return new FileText(reader, SIZE_BYTES);
    }
}
