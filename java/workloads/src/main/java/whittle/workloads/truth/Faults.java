package whittle.workloads.truth;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import whittle.workloads.Arguments;
import whittle.workloads.KernelFigures;
import whittle.workloads.Lines;
import whittle.workloads.WorkThread;

/**
 * Touches a known number of pages for the first time, in a mapped file or in memory outside the heap. Each touched page is a
 * page fault. See README.md for arguments and output.
 */
public final class Faults {
    private static final int PAGE_BYTES = 4096;
    /** When all pages of a mapping were touched, a new mapping replaces it: 64 MB of the file, and 64 MB of copied pages. */
    private static final int PAGES_PER_MAPPING = 16 * 1024;

    private final Path directory;
    private final boolean isFile;
    private final long pageLimit;

    /** Read after the thread has ended. */
    private KernelFigures kernel;

    private Faults(Arguments arguments) {
        directory = Path.of(arguments.text("dir", System.getProperty("java.io.tmpdir")));
        isFile = arguments.choice("memory", "file", "direct").equals("file");
        pageLimit = arguments.count("pages", 200_000);
    }

    public static void main(String[] args) throws InterruptedException {
        Faults program = new Faults(Arguments.read(args, "pages", "memory", "dir"));
        WorkThread.runToEnd("faults", program::work);
        Lines.print("pages=%d kernel_minor_faults=%s kernel_major_faults=%s", program.pageLimit,
                KernelFigures.text(program.kernel.minorFaults()), KernelFigures.text(program.kernel.majorFaults()));
    }

    private void work() throws IOException {
        touch(1);
        KernelFigures start = KernelFigures.start();
        for (long left = pageLimit; left > 0; left -= PAGES_PER_MAPPING) {
            touch((int) Math.min(left, PAGES_PER_MAPPING));
            // Frees the memory, which would otherwise grow: a mapping ends when it is collected.
            System.gc();
        }
        kernel = start.sinceStart();
    }

    private void touch(int pages) throws IOException {
        if (isFile) {
            touchPages(mappedFile(pages), pages);
        } else {
            // The JDK clears the memory, so the pages are touched inside this call.
            ByteBuffer.allocateDirect(pages * PAGE_BYTES);
        }
    }

    /**
     * Maps a new file without content. The file is removed at once, so its pages exist as long as the mapping. Each written
     * page is copied (a private mapping), because the kernel loads several pages at a time if they are shared with a file.
     */
    private MappedByteBuffer mappedFile(int pages) throws IOException {
        Path file = Files.createTempFile(directory, "whittle-faults-", ".map");
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE)) {
            return channel.map(FileChannel.MapMode.PRIVATE, 0, (long) pages * PAGE_BYTES);
        }
    }

    /** Touches pages by writing, because a read would also load several pages. */
    private static void touchPages(MappedByteBuffer memory, int pages) {
        for (int page = 0; page < pages; page++) {
            memory.put(page * PAGE_BYTES, (byte) 1);
        }
    }
}
