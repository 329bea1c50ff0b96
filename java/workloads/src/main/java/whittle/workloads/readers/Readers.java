package whittle.workloads.readers;

import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import whittle.workloads.Arguments;
import whittle.workloads.Lines;

/**
 * Reads text files once in one of six ways and prints the cost. See README.md for arguments and output.
 *
 * <p>{@code --reader none} does everything except reading: its cost is the start of the JVM and of this program. The
 * program runs on Java 8 and newer, so that old JVMs can be compared.
 */
public final class Readers {
    private Readers() {}

    public static void main(String[] args) throws IOException {
        Arguments arguments = Arguments.read(args, "reader", "files", "file-bytes", "dir", "count-objects");
        String name = arguments.choice("reader", "none", "raw-bytes", "raw-chars", "buffered-bytes", "buffered-chars",
                "own-byte-buffer", "own-char-buffer");
        int count = (int) arguments.count("files", 300, 1, 1_000_000);
        int fileBytes = (int) arguments.count("file-bytes", 16_384, 2, 1 << 30);
        boolean isCounting = arguments.choice("count-objects", "no", "yes").equals("yes");
        boolean isTemporary = !arguments.has("dir");
        File folder = isTemporary ? TextFiles.temporaryFolder() : new File(arguments.text("dir", ""));
        List<File> files = TextFiles.in(folder, count, fileBytes);
        try {
            printJvm();
            measure(name, files, isCounting);
        } finally {
            if (isTemporary) {
                TextFiles.remove(folder, files);
            }
        }
    }

    static TextReader reader(String name) {
        switch (name) {
            case "raw-bytes":
                return new RawBytes();
            case "raw-chars":
                return new RawChars();
            case "buffered-bytes":
                return new BufferedBytes();
            case "buffered-chars":
                return new BufferedChars();
            case "own-byte-buffer":
                return new OwnByteBuffer();
            case "own-char-buffer":
                return new OwnCharBuffer();
            default:
                return (file, seen) -> {};
        }
    }

    private static void printJvm() {
        for (String key : new String[] {"java.version", "java.vendor", "java.vm.name", "java.vm.version"}) {
            Lines.print("%s=%s", key, System.getProperty(key, ""));
        }
    }

    /** All measurements are taken before anything is printed, because printing also allocates and makes calls. */
    private static void measure(String name, List<File> files, boolean isCounting) throws IOException {
        TextReader reader = reader(name);
        Seen seen = new Seen();
        long[] latenciesNs = new long[files.size()];
        // Each method is called once before the measurement, so that its classes are loaded.
        ReadCalls.soFar();
        AllocatedBytes.ofCurrentThread();
        long objects = isCounting ? HeapObjects.count() : HeapObjects.UNAVAILABLE;

        long startCalls = ReadCalls.soFar();
        long startBytes = AllocatedBytes.ofCurrentThread();
        long startNs = System.nanoTime();
        readAll(reader, files, seen, latenciesNs);
        long readNs = System.nanoTime() - startNs;
        long allocatedBytes = difference(AllocatedBytes.ofCurrentThread(), startBytes);
        long readCalls = difference(ReadCalls.soFar(), startCalls);

        long createdObjects = isCounting ? difference(HeapObjects.count(), objects) : HeapObjects.UNAVAILABLE;
        Lines.print("reader=%s files=%d %s", name, files.size(), seen.text());
        Arrays.sort(latenciesNs);
        Lines.print("read_ns=%d file_p50_ns=%d file_p99_ns=%d file_max_ns=%d", readNs, quantile(latenciesNs, 0.5),
                quantile(latenciesNs, 0.99), latenciesNs[latenciesNs.length - 1]);
        Lines.print("allocated_bytes=%s created_objects=%s read_calls=%s", text(allocatedBytes), text(createdObjects),
                text(readCalls));
    }

    private static void readAll(TextReader reader, List<File> files, Seen seen, long[] latenciesNs) throws IOException {
        long startNs = System.nanoTime();
        for (int i = 0; i < latenciesNs.length; i++) {
            reader.read(files.get(i), seen);
            long endNs = System.nanoTime();
            latenciesNs[i] = endNs - startNs;
            startNs = endNs;
        }
    }

    /** The quantile {@code ratio} of sorted values. */
    private static long quantile(long[] sorted, double ratio) {
        return sorted[(int) Math.ceil(ratio * sorted.length) - 1];
    }

    private static long difference(long end, long start) {
        return end < 0 || start < 0 ? -1 : end - start;
    }

    private static String text(long figure) {
        return figure < 0 ? "unavailable" : Long.toString(figure);
    }
}
