package whittle.tests.trial;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.whittle.trial.Places;
import org.junit.jupiter.api.Test;

/** Buffers for streams, readers and writers. */
final class BufferTest {
    private static Tried tried(String remedy, String method, String target) throws Exception {
        return new Tried(remedy, StreamPrograms.class, method, target);
    }

    /** The changed program writes the same bytes as the unchanged one. */
    private static void writesTheSame(Tried tried, int count, Object... more) throws Exception {
        byte[][] written = new byte[2][];
        for (int side = 0; side < 2; side++) {
            Path path = Tried.temporary();
            List<Object> arguments = new ArrayList<>(List.of(path.toFile()));
            arguments.addAll(List.of(more));
            if (side == 0) {
                tried.before(arguments.toArray());
            } else {
                tried.after(arguments.toArray());
            }
            written[side] = Files.readAllBytes(path);
        }
        assertTrue(written[0].length > 0);
        assertArrayEquals(written[0], written[1]);
        assertEquals(count, tried.count());
    }

    private static void refuses(String reason, String remedy, String method, String target) throws Exception {
        Tried tried = tried(remedy, method, target);
        assertEquals("refused: " + reason, tried.line());
        assertNull(tried.outcome.file);
    }

    @Test
    void theSameBytesAreWritten() throws Exception {
        writesTheSame(tried("buffer-output", "direct", "FileOutputStream"), 1);
        writesTheSame(tried("buffer-output", "withResources", "FileOutputStream"), 1, true);
        writesTheSame(tried("buffer-output", "withResources", "FileOutputStream"), 1, false);
        writesTheSame(tried("buffer-output", "argument", "FileOutputStream"), 1);
        writesTheSame(tried("buffer-output", "choice", "FileOutputStream"), 1, true);
        writesTheSame(tried("buffer-output", "choice", "FileOutputStream"), 0, false);
        writesTheSame(tried("buffer-output", "keptInField", "FileOutputStream"), 1);
        writesTheSame(tried("buffer-output", "loop", "FileOutputStream"), 3);
        writesTheSame(tried("buffer-output", "files", "newOutputStream"), 1);
        writesTheSame(tried("buffer-writer", "write", "FileWriter"), 1);
    }

    @Test
    void theSameBytesAreCompressed() throws Exception {
        byte[] bytes = new byte[20_000];
        for (int at = 0; at < bytes.length; at++) {
            bytes[at] = (byte) (at * at % 251);
        }
        Tried tried = new Tried("buffer-compression", SmallPrograms.class, "zippedBytes", "GZIPOutputStream");
        assertArrayEquals((byte[]) tried.before(bytes), (byte[]) tried.after(bytes));
        assertEquals(1, tried.count());
        Tried finished = new Tried("buffer-compression", SmallPrograms.class, "finished", "GZIPOutputStream");
        assertEquals("refused: the method also calls GZIPOutputStream.finish on the object", finished.line());
    }

    @Test
    void aReturnedStreamHasABuffer() throws Exception {
        File file = Tried.temporary().toFile();
        try (OutputStream stream = (OutputStream) tried("buffer-output", "returned", "FileOutputStream").after(file)) {
            assertInstanceOf(BufferedOutputStream.class, stream);
        }
    }

    @Test
    void theSameBytesAreRead() throws Exception {
        Path path = Tried.temporary();
        Files.writeString(path, "some bytes that are read");
        for (String[] program : new String[][] {{"buffer-input", "read", "FileInputStream"},
            {"buffer-input", "readFiles", "newInputStream"}, {"buffer-reader", "readText", "FileReader"}}) {
            Tried tried = tried(program[0], program[1], program[2]);
            assertEquals(tried.before(path.toFile()), tried.after(path.toFile()), program[1]);
            assertEquals(1, tried.count(), program[1]);
        }
    }

    /** The fix in the source would lose the byte, too. The comparison of the files shows it. */
    @Test
    void theEndOfAStreamThatIsNotClosedIsLost() throws Exception {
        Path path = Tried.temporary();
        Tried tried = tried("buffer-output", "notClosed", "FileOutputStream");
        tried.after(path.toFile());
        assertEquals(0, Files.size(path));
        assertEquals(1, Places.holding(tried.number));
        Tried writer = tried("buffer-writer", "notClosedWriter", "FileWriter");
        writer.after(path.toFile());
        assertEquals(1, Places.holding(writer.number));
    }

    @Test
    void aStreamThatIsFlushedOrClosedLosesNothing() throws Exception {
        for (String method : new String[] {"direct", "flushed", "closedTwice"}) {
            Tried tried = tried("buffer-output", method, "FileOutputStream");
            tried.after(Tried.temporary().toFile());
            assertEquals(0, Places.holding(tried.number), method);
        }
        for (String method : new String[] {"write", "writesLong"}) {
            Tried tried = tried("buffer-writer", method, "FileWriter");
            writesTheSame(tried, 1);
            assertEquals(0, Places.holding(tried.number), method);
        }
    }

    /** The agent does not see that another writer has the same stream. The comparison of the files shows it. */
    @Test
    void twoWritersOnOneStreamChangeTheirOrder() throws Exception {
        Tried tried = tried("buffer-writer", "twoWriters", "OutputStreamWriter");
        Path before = Tried.temporary();
        Path after = Tried.temporary();
        assertTrue((long) tried.before(before.toFile()) > 0);
        assertEquals(0L, tried.after(after.toFile()));
        assertTrue(Files.readString(before).startsWith("\u00e9"));
        assertTrue(Files.readString(after).startsWith("second"));
        assertEquals(Files.size(before), Files.size(after));
        assertEquals(0, Places.holding(tried.number));
    }

    /** The program gets the exception without a buffer, too, so nothing is lost without a word. */
    @Test
    void aStreamWhoseCloseFailsIsClosed() throws Exception {
        Tried tried = tried("buffer-output", "direct", "FileOutputStream");
        assertThrows(InvocationTargetException.class, () -> tried.after(new File("/dev/full")));
        assertEquals(0, Places.holding(tried.number));
    }

    /** A returned stream skips as far as the stream of a file does, also backwards and behind the end. */
    @Test
    void skippingIsTheSame() throws Exception {
        Path path = Tried.temporary();
        byte[] bytes = new byte[20_000];
        for (int index = 0; index < bytes.length; index++) {
            bytes[index] = (byte) (index / 100);
        }
        Files.write(path, bytes);
        for (String[] program : new String[][] {{"returnedInput", "FileInputStream"}, {"returnedFiles", "newInputStream"}}) {
            Tried tried = tried("buffer-input", program[0], program[1]);
            List<Long> before = skips((InputStream) tried.before(path.toFile()));
            assertEquals(before, skips((InputStream) tried.after(path.toFile())), program[0]);
        }
    }

    private static List<Long> skips(InputStream stream) throws IOException {
        List<Long> seen = new ArrayList<>();
        try (InputStream in = stream) {
            for (long count : new long[] {5, 9000, 0, -300, -9, 8192, 3000, 50_000, 1}) {
                seen.add((long) in.read());
                seen.add(in.skip(count));
            }
            seen.add(in.markSupported() ? 1L : 0L);
            assertThrows(IOException.class, in::reset);
        }
        return seen;
    }

    @Test
    void aReaderHasNoMark() throws Exception {
        Path path = Tried.temporary();
        Tried tried = tried("buffer-reader", "returnedReader", "FileReader");
        try (Reader in = (Reader) tried.after(path.toFile())) {
            assertFalse(in.markSupported());
            assertThrows(IOException.class, () -> in.mark(9));
            assertThrows(IOException.class, in::reset);
        }
    }

    @Test
    void aPlaceThatNeedsTheFileStreamIsRefused() throws Exception {
        refuses("the method also calls FileOutputStream.getChannel on the object", "buffer-output", "channel", "FileOutputStream");
        refuses("the object is stored in a field of the type FileOutputStream", "buffer-output", "narrow", "FileOutputStream");
        refuses("the object is compared, locked, inspected or stored in an array", "buffer-output", "compared", "FileOutputStream");
        refuses("the object is an argument of the type Object", "buffer-output", "asObject", "FileOutputStream");
        refuses("another stream can use the same file descriptor", "buffer-output", "descriptor", "FileOutputStream");
        refuses("other users of the channel share its position", "buffer-input", "ofChannel", "newInputStream");
        refuses("a java.io.RandomAccessFile cannot have this buffer", "buffer-output", "randomAccess", "RandomAccessFile");
        refuses("the method also calls FileInputStream.skip on the object", "buffer-input", "skips", "FileInputStream");
        refuses("a buffer is already there", "buffer-reader", "buffered", "FileReader");
    }
}
