package whittle.tests.trial;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedOutputStream;
import java.io.File;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
    void aReturnedStreamHasABuffer() throws Exception {
        File file = Tried.temporary().toFile();
        try (OutputStream stream = (OutputStream) tried("buffer-output", "returned", "FileOutputStream").after(file)) {
            assertEquals(BufferedOutputStream.class, stream.getClass());
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
    }

    @Test
    void aPlaceThatNeedsTheFileStreamIsRefused() throws Exception {
        refuses("the method also calls FileOutputStream.getChannel on the object", "buffer-output", "channel", "FileOutputStream");
        refuses("the object is stored in a field of the type FileOutputStream", "buffer-output", "narrow", "FileOutputStream");
        refuses("the object is compared, locked, inspected or stored in an array", "buffer-output", "compared", "FileOutputStream");
        refuses("the object is an argument of the type Object", "buffer-output", "asObject", "FileOutputStream");
        refuses("another stream can use the same file descriptor", "buffer-output", "descriptor", "FileOutputStream");
        refuses("a java.io.RandomAccessFile cannot have this buffer", "buffer-output", "randomAccess", "RandomAccessFile");
        refuses("the method also calls FileInputStream.skip on the object", "buffer-input", "skips", "FileInputStream");
        refuses("a buffer is already there", "buffer-reader", "buffered", "FileReader");
    }
}
