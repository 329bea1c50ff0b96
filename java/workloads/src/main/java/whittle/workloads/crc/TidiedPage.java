package whittle.workloads.crc;

import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.w3c.tidy.Configuration;
import org.w3c.tidy.Tidy;

/**
 * The caller in a library: JTidy prints an HTML page to its own {@code FileOutputStream}, without a buffer.
 *
 * <p>JTidy gets the plain stream, not a counting one, so that {@code OutImpl.outc(int)} stays the direct caller of
 * {@code FileOutputStream.write(int)}. The calls are counted once, on another stream, when this object is created. The page
 * never changes, so the number of calls is the same for every document. The size of the file confirms this each time.
 */
final class TidiedPage implements Closeable {
    private static final int PARAGRAPH_COUNT = 24;
    private static final int WORDS_PER_PARAGRAPH = 80;
    /** Longer than any paragraph, because a line break is another kind of write (see {@link #newlineCallCount}). */
    private static final int WRAP_COLUMNS = 10_000;

    private final byte[] html = html().getBytes(StandardCharsets.US_ASCII);
    private final FileOutputStream file;
    /** Calls of {@code FileOutputStream.write(int)} by {@code OutImpl.outc(int)} for one page. */
    private final long outcCallCount;
    /** Calls of {@code FileOutputStream.write(byte[])} by {@code OutImpl.newline()} for one page, one line break each. */
    private final long newlineCallCount;
    private final long fileBytes;

    TidiedPage(Path path) throws IOException {
        file = new FileOutputStream(path.toFile(), true);
        CountingStream counts = new CountingStream();
        tidyInto(counts);
        outcCallCount = counts.byteCallCount;
        newlineCallCount = counts.arrayCallCount;
        fileBytes = counts.byteCallCount + counts.arrayBytes;
    }

    /** Empties the file and tidies the page into it. Fails if the file does not have the expected length. */
    void write() throws IOException {
        file.getChannel().truncate(0);
        tidyInto(file);
        long foundBytes = file.getChannel().size();
        if (foundBytes != fileBytes) {
            throw new IOException("JTidy wrote " + foundBytes + " bytes, expected " + fileBytes);
        }
    }

    private void tidyInto(OutputStream out) {
        Tidy tidy = new Tidy();
        tidy.setErrout(new PrintWriter(Writer.nullWriter()));
        tidy.setQuiet(true);
        tidy.setShowWarnings(false);
        tidy.setTidyMark(false);
        tidy.setCharEncoding(Configuration.UTF8);
        tidy.setWraplen(WRAP_COLUMNS);
        tidy.parse(new ByteArrayInputStream(html), out);
    }

    long outcCallCount() {
        return outcCallCount;
    }

    long newlineCallCount() {
        return newlineCallCount;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    private static String html() {
        String[] words = {"order", "ledger", "invoice", "receipt", "harbour", "ferry", "sorting", "station"};
        StringBuilder html = new StringBuilder();
        html.append("<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01//EN\">\n");
        html.append("<html><head><title>Report</title></head><body>\n");
        for (int paragraph = 0; paragraph < PARAGRAPH_COUNT; paragraph++) {
            html.append("<p>");
            for (int word = 0; word < WORDS_PER_PARAGRAPH; word++) {
                html.append(words[(paragraph * 3 + word * 5) % words.length]).append(' ');
            }
            html.append("end</p>\n");
        }
        return html.append("</body></html>\n").toString();
    }

    /** Counts the calls of each method, and drops the bytes. */
    private static final class CountingStream extends OutputStream {
        private long byteCallCount;
        private long arrayCallCount;
        private long arrayBytes;

        @Override
        public void write(int b) {
            byteCallCount++;
        }

        @Override
        public void write(byte[] b) {
            arrayCallCount++;
            arrayBytes += b.length;
        }
    }
}
