package whittle.workloads.truth;

import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import whittle.workloads.Arguments;
import whittle.workloads.KernelFigures;
import whittle.workloads.Lines;
import whittle.workloads.WorkThread;

/**
 * Writes and reads of known files with an exact number of calls and bytes, and writes that all fail.
 *
 * <p>Thread {@code exact-calls} writes a file, reads it back from its start, and writes to {@code /dev/full}. See README.md
 * for arguments and output.
 */
public final class ExactCalls {
    private static final String FULL_FILE = "/dev/full";

    private final Path file;
    private final long writeLimit;
    private final long readLimit;
    private final long failLimit;
    private final byte[] written;
    private final byte[] read;

    private KernelFigures kernel;

    private ExactCalls(Arguments arguments, Path file) {
        this.file = file;
        writeLimit = arguments.count("writes", 3_000_000);
        readLimit = arguments.count("reads", 1_000_000);
        failLimit = arguments.count("failing-writes", 10_000);
        written = new byte[(int) arguments.count("write-bytes", 16, 1, 8192)];
        read = new byte[(int) arguments.count("read-bytes", 32, 1, 8192)];
        if (readLimit * read.length > writeLimit * written.length) {
            throw Arguments.refuse("--reads times --read-bytes is more than the file will hold; more --writes, please");
        }
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        Arguments arguments = Arguments.read(
                args, "writes", "reads", "failing-writes", "write-bytes", "read-bytes", "dir");
        Path directory = Path.of(arguments.text("dir", System.getProperty("java.io.tmpdir")));
        Path file = Files.createTempFile(directory, "whittle-exact-calls-", ".out");
        file.toFile().deleteOnExit();
        ExactCalls program = new ExactCalls(arguments, file);
        WorkThread.runToEnd("exact-calls", program::work);
        program.printResults();
    }

    private void work() throws IOException {
        try (FileOutputStream out = new FileOutputStream(file.toFile());
                FileInputStream in = new FileInputStream(file.toFile());
                FileOutputStream full = new FileOutputStream(FULL_FILE)) {
            failToWrite(full, 1);
            KernelFigures start = KernelFigures.start();
            write(out);
            read(in);
            failToWrite(full, failLimit);
            kernel = start.sinceStart();
        }
    }

    private void write(FileOutputStream out) throws IOException {
        for (long i = 0; i < writeLimit; i++) {
            out.write(written, 0, written.length);
        }
    }

    private void read(FileInputStream in) throws IOException {
        for (long i = 0; i < readLimit; i++) {
            int bytes = in.read(read, 0, read.length);
            if (bytes != read.length) {
                throw new IOException("read " + bytes + " bytes, wanted " + read.length);
            }
        }
    }

    private void failToWrite(FileOutputStream full, long count) throws IOException {
        for (long i = 0; i < count; i++) {
            try {
                full.write(written, 0, written.length);
            } catch (IOException e) {
                continue;
            }
            throw new IOException(FULL_FILE + " has taken bytes");
        }
    }

    private void printResults() {
        // The one failed call before the measurement is also a call of this thread.
        print("write", file.toString(), writeLimit, writeLimit * written.length, 0);
        print("read", file.toString(), readLimit, readLimit * read.length, 0);
        print("failing_write", FULL_FILE, failLimit + 1, 0, failLimit + 1);
        Lines.print("kernel_write_calls=%s kernel_write_bytes=%s kernel_read_calls=%s kernel_read_bytes=%s",
                KernelFigures.text(kernel.writeCalls()), KernelFigures.text(kernel.writeBytes()),
                KernelFigures.text(kernel.readCalls()), KernelFigures.text(kernel.readBytes()));
    }

    private static void print(String call, String path, long calls, long bytes, long errors) {
        Lines.print("call=%s calls=%d bytes=%d errors=%d file=%s", call, calls, bytes, errors, path);
    }
}
