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
 * A known number of pages touched for the first time, each of which is a page fault: of a mapped file, or of memory outside
 * the heap. See README.md for arguments and output.
 */
public final class Faults {
    private static final int PAGE_BYTES = 4096;
    /** A mapping that is used up is replaced by a new one: 64 MB of the file, and as much of the pages' own copies. */
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
            // Lets go of the memory, which otherwise piles up: a mapping ends when it is collected.
            System.gc();
        }
        kernel = start.sinceStart();
    }

    private void touch(int pages) throws IOException {
        if (isFile) {
            touchPages(mappedFile(pages), pages);
        } else {
            // The JDK clears the memory, so that the pages are touched in here.
            ByteBuffer.allocateDirect(pages * PAGE_BYTES);
        }
    }

    /**
     * A new file without content, removed at once: its pages exist as long as the mapping. Mapped so that each written page
     * is copied, because a kernel brings in pages that are shared with a file several at a time.
     */
    private MappedByteBuffer mappedFile(int pages) throws IOException {
        Path file = Files.createTempFile(directory, "whittle-faults-", ".map");
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE)) {
            return channel.map(FileChannel.MapMode.PRIVATE, 0, (long) pages * PAGE_BYTES);
        }
    }

    /** By writing: a read, too, would bring in several. */
    private static void touchPages(MappedByteBuffer memory, int pages) {
        for (int page = 0; page < pages; page++) {
            memory.put(page * PAGE_BYTES, (byte) 1);
        }
    }
}
