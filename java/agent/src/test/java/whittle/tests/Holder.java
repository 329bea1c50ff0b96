package whittle.tests;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A process that locks a file until its input ends, as whittle does. */
final class Holder implements AutoCloseable {
    private final Process process;

    Holder(Path file) throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        process = new ProcessBuilder(java, "-Xshare:auto", "-cp", System.getProperty("surefire.test.class.path",
            System.getProperty("java.class.path")), Holder.class.getName(), file.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        if (process.getInputStream().read() != 'L') {
            throw new IOException("the file is not locked: " + file);
        }
    }

    public static void main(String[] arguments) throws IOException {
        try (FileChannel channel = FileChannel.open(Path.of(arguments[0]), StandardOpenOption.WRITE);
             FileLock lock = channel.lock()) {
            System.out.print(lock.isValid() ? "L" : "-");
            System.out.flush();
            while (System.in.read() >= 0) {
                // The end of the input releases the lock.
            }
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
