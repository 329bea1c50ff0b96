package whittle.tests.trial;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.reflect.InvocationTargetException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;

/** Mappings that are made once. */
final class MappingTest {
    private static Tried tried(String method) throws Exception {
        return new Tried("keep-mapping", MappedPrograms.class, "map", "map").running(method);
    }

    private static FileChannel channel() throws Exception {
        Path path = Tried.temporary();
        Files.write(path, new byte[] {0, 0, 0, 7, 9});
        return FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    @Test
    void viewsOfAMappingAreIndependent() throws Exception {
        Tried tried = tried("read");
        try (FileChannel channel = channel()) {
            assertEquals(81, tried.before(channel));
            assertEquals(81, tried.after(channel));
            assertEquals(81, tried.after(channel));
            assertEquals(4, tried.count());
        }
    }

    @Test
    void aKeptMappingShowsChangesOfTheFile() throws Exception {
        Tried tried = tried("written");
        try (FileChannel channel = channel()) {
            assertEquals(8, tried.before(channel));
            assertEquals(9, tried.after(channel));
            assertEquals(10, tried.after(channel));
        }
    }

    @Test
    void aFileThatIsTooShortOrClosedFailsAsBefore() throws Exception {
        Tried tried = tried("read");
        FileChannel channel = channel();
        tried.after(channel);
        channel.truncate(0);
        assertEquals(tried.before(channel), tried.after(channel));
        channel.close();
        Throwable thrown = assertThrows(InvocationTargetException.class, () -> tried.after(channel)).getCause();
        assertEquals(ClosedChannelException.class, thrown.getClass());
    }
}
