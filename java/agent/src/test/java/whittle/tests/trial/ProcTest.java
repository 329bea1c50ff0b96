package whittle.tests.trial;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.whittle.trial.Snapshots;
import org.junit.jupiter.api.Test;

/** Copies of files in `/proc`. */
final class ProcTest {
    private static Tried tried(String method, String target) throws Exception {
        return new Tried("proc-copy", ProcPrograms.class, method, target);
    }

    private static void isSame(Tried tried) throws Exception {
        Path file = Tried.temporary();
        Files.writeString(file, "one\ntwo\n");
        for (String path : new String[] {"/proc/self/limits", "/proc/self/limits", file.toString()}) {
            assertEquals(tried.before(path), tried.after(path));
        }
        assertEquals(3, tried.count());
    }

    @Test
    void aCopyHasTheSameContent() throws Exception {
        isSame(tried("reader", "FileReader"));
        isSame(tried("readerOf", "FileReader"));
        isSame(tried("stream", "FileInputStream"));
        isSame(tried("scanner", "Scanner"));
        isSame(tried("lines", "Files.lines"));
        isSame(tried("text", "readString"));
    }

    @Test
    void onlyHarmlessFilesOfProcAreCopied() throws Exception {
        String copy = Snapshots.of("/proc/self/limits", 1000);
        assertNotEquals("/proc/self/limits", copy);
        assertEquals(copy, Snapshots.of(new File("/proc/self/limits"), 1000).getPath());
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(Path.of(copy))));
        for (String path : new String[] {"/proc/self/fd/0", "/proc/self/mem", "/proc/kmsg", "/proc/thread-self/stat", "/etc/passwd",
            "/proc/self/task/none/stat"}) {
            assertEquals(path, Snapshots.of(path, 1000));
        }
    }

    @Test
    void aTextIsNoPath() throws Exception {
        assertEquals("refused: the file is not opened by its path", tried("scannedText", "Scanner").line());
        assertEquals("refused: whittle does not know how java.io.BufferedReader opens a file", tried("reader", "BufferedReader").line());
    }
}
