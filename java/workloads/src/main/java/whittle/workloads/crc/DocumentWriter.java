package whittle.workloads.crc;

import java.io.IOException;

/**
 * Writes documents. A document is the unit of work: a body through the checked stream, then a page through JTidy.
 *
 * <p>The length of the body is chosen so that {@link #BODY_CALL_RATIO} of all one-byte writes are writes of the body.
 */
final class DocumentWriter {
    /** The body's share of the calls of {@code FileOutputStream.write(int)} in the slow program. JTidy makes the others. */
    private static final double BODY_CALL_RATIO = 0.85;

    private final CheckedStream stream;
    private final TidiedPage page;
    private final byte[] body;

    DocumentWriter(CheckedStream stream, TidiedPage page) {
        this.stream = stream;
        this.page = page;
        this.body = body(Math.round(page.outcCallCount() * BODY_CALL_RATIO / (1 - BODY_CALL_RATIO)));
    }

    void writeDocument() throws IOException {
        writeBody();
        page.write();
    }

    long bodyBytes() {
        return body.length;
    }

    private void writeBody() throws IOException {
        stream.reset();
        for (byte b : body) {
            stream.write(b);
        }
        if (!stream.checkResult()) {
            throw new IOException("the file of the body does not hold what was written");
        }
    }

    /** Letters in a fixed pattern, so that all runs write the same bytes. */
    private static byte[] body(long bytes) {
        byte[] body = new byte[Math.toIntExact(bytes)];
        for (int i = 0; i < body.length; i++) {
            body[i] = (byte) ('a' + i * 7 % 26);
        }
        return body;
    }
}
