package whittle.workloads.readers;

import java.io.File;
import java.io.IOException;
import java.util.List;
import whittle.workloads.Arguments;
import whittle.workloads.Lines;

/** The common part of {@link Slow} and {@link Fixed}: they read the files again and again for some time. */
final class ReadersProgram {
    private static final long REPORT_INTERVAL_NS = 1_000_000_000L;

    private final TextReader reader;
    private final long startNs = System.nanoTime();
    private long fileCount;
    private long reportedCount;
    private long reportedNs = startNs;

    private ReadersProgram(TextReader reader) {
        this.reader = reader;
    }

    static void run(String[] args, TextReader reader) throws IOException {
        Arguments arguments = Arguments.read(args, "seconds", "files", "file-bytes");
        long durationNs = arguments.secondsAsNanos(10);
        int count = (int) arguments.count("files", 300, 1, 1_000_000);
        File folder = TextFiles.temporaryFolder();
        List<File> files = TextFiles.in(folder, count, (int) arguments.count("file-bytes", 16_384, 2, 1 << 30));
        try {
            new ReadersProgram(reader).readFor(durationNs, files);
        } finally {
            TextFiles.remove(folder, files);
        }
    }

    private void readFor(long durationNs, List<File> files) throws IOException {
        Seen seen = new Seen();
        long nowNs = startNs;
        while (nowNs - startNs < durationNs) {
            reader.read(files.get((int) (fileCount % files.size())), seen);
            fileCount++;
            nowNs = System.nanoTime();
            if (nowNs - reportedNs >= REPORT_INTERVAL_NS) {
                printRate("", fileCount - reportedCount, nowNs - reportedNs);
                reportedCount = fileCount;
                reportedNs = nowNs;
            }
        }
        printRate("total ", fileCount, nowNs - startNs);
        Lines.print("read_files=%d characters=%d", fileCount, seen.characters());
    }

    private static void printRate(String start, long files, long intervalNs) {
        double seconds = intervalNs / 1e9;
        Lines.print("%sfiles=%d seconds=%.2f files_per_second=%.1f", start, files, seconds, files / seconds);
    }
}
