import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Runs a server for a test: {@code TestServer trino VERSION} or {@code TestServer MAIN-CLASS ARGUMENT...}.
 * {@code TestServer trino-once VERSION} ends when the server has started, whatever standard input does.
 *
 * <p>This program ends when its standard input ends. The test holds the other end of that pipe, so the
 * server always ends with the test. The system property {@code test.folder} names the server's temporary
 * folder. This program then removes the folder, because a killed test does not. The servers are called
 * by reflection, so that this class compiles without them.
 */
final class TestServer {
    /** Only folders with names that begin like this are removed. */
    private static final String FOLDER_PREFIX = "whittle-test-server-";

    private TestServer() {}

    public static void main(String[] arguments) throws ReflectiveOperationException {
        try {
            if (arguments[0].equals("trino-once")) {
                startTrino(arguments[1]);
                System.exit(0);
            }
            Thread leash = new Thread(TestServer::endWithInput, "leash");
            leash.setDaemon(true);
            leash.start();
            if (arguments[0].equals("trino")) {
                startTrino(arguments[1]);
            } else {
                String[] rest = Arrays.copyOfRange(arguments, 1, arguments.length);
                Class.forName(arguments[0]).getMethod("main", String[].class).invoke(null, (Object) rest);
            }
        } catch (InvocationTargetException failure) {
            failure.getCause().printStackTrace();
            System.exit(1);
        }
    }

    /** Starts Trino in the same way as its own launcher, which is not on Maven Central. */
    private static void startTrino(String version) throws ReflectiveOperationException {
        Class<?> server = Class.forName("io.trino.server.Server");
        server.getMethod("start", String.class).invoke(server.getConstructor().newInstance(), version);
    }

    private static void endWithInput() {
        try {
            while (System.in.read() >= 0) {
                // No data is expected, only the end of the input.
            }
        } catch (IOException broken) {
            // An error is treated as the end of the input.
        }
        String folder = System.getProperty("test.folder");
        if (folder != null && Path.of(folder).getFileName().toString().startsWith(FOLDER_PREFIX)) {
            remove(Path.of(folder));
        }
        Runtime.getRuntime().halt(0);
    }

    private static void remove(Path folder) {
        try (Stream<Path> inside = Files.walk(folder)) {
            List<Path> deepestFirst = inside.sorted(Comparator.reverseOrder()).toList();
            for (Path path : deepestFirst) {
                Files.deleteIfExists(path);
            }
        } catch (IOException | UncheckedIOException stillUsed) {
            // The system removes the rest when it cleans temporary folders.
        }
    }
}
