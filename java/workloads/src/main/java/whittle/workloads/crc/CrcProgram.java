package whittle.workloads.crc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import whittle.workloads.Arguments;
import whittle.workloads.CpuTime;
import whittle.workloads.KernelFigures;
import whittle.workloads.Lines;

/**
 * The common part of {@link Slow} and {@link Fixed}: arguments, the working thread, and the printed lines.
 *
 * <p>One thread, {@code crc-writer}, does all the work; {@code main} only prints, so its CPU time is not part of the work.
 */
final class CrcProgram {
    /** Creates the tested stream for a file. */
    interface StreamFactory {
        CheckedStream open(Path path) throws IOException;
    }

    private static final long REPORT_INTERVAL_MS = 1000;

    private final DocumentWriter writer;
    private final long documentLimit;
    private final long durationNs;

    /** Written by the working thread only. */
    private volatile long documentCount;
    private volatile Throwable failure;

    // Results of the working thread. They are read after the thread has ended.
    private long elapsedNs;
    private KernelFigures kernel;
    /** CPU time of the whole thread, from its start to its last line. */
    private long threadCpuNs;

    private CrcProgram(DocumentWriter writer, long documentLimit, long durationNs) {
        this.writer = writer;
        this.documentLimit = documentLimit;
        this.durationNs = durationNs;
    }

    static void run(String[] args, StreamFactory streams, BodyWrites bodyWrites) throws Exception {
        Arguments arguments = Arguments.read(args, "seconds", "documents", "dir");
        long durationNs = arguments.has("documents") ? Long.MAX_VALUE : arguments.secondsAsNanos(10);
        long documentLimit = arguments.count("documents", Long.MAX_VALUE);
        Path directory = Path.of(arguments.text("dir", System.getProperty("java.io.tmpdir")));

        Path bodyPath = temporaryFile(directory, "body");
        Path pagePath = temporaryFile(directory, "page");
        try (CheckedStream stream = streams.open(bodyPath); TidiedPage page = new TidiedPage(pagePath)) {
            CrcProgram program = new CrcProgram(new DocumentWriter(stream, page), documentLimit, durationNs);
            program.workAndReport();
            program.printResults(stream, page, bodyWrites);
        } finally {
            Files.deleteIfExists(bodyPath);
            Files.deleteIfExists(pagePath);
        }
    }

    /** Also deleted when the program is ended by a signal. */
    private static Path temporaryFile(Path directory, String name) throws IOException {
        Path path = Files.createTempFile(directory, "whittle-crc-", "." + name);
        path.toFile().deleteOnExit();
        return path;
    }

    private void workAndReport() throws InterruptedException {
        Thread worker = new Thread(this::work, "crc-writer");
        worker.start();
        long reportedCount = 0;
        long reportedNs = System.nanoTime();
        worker.join(REPORT_INTERVAL_MS);
        while (worker.isAlive()) {
            long count = documentCount;
            long nowNs = System.nanoTime();
            printRate(count - reportedCount, nowNs - reportedNs);
            reportedCount = count;
            reportedNs = nowNs;
            worker.join(REPORT_INTERVAL_MS);
        }
        if (failure != null) {
            throw new IllegalStateException("the working thread failed", failure);
        }
    }

    private void work() {
        KernelFigures start = KernelFigures.start();
        long startNs = System.nanoTime();
        try {
            writeDocuments(startNs);
        } catch (IOException | RuntimeException | Error e) {
            failure = e;
        }
        elapsedNs = System.nanoTime() - startNs;
        kernel = start.sinceStart();
        threadCpuNs = CpuTime.currentThreadCpuNs();
    }

    private void writeDocuments(long startNs) throws IOException {
        long count = 0;
        while (count < documentLimit && System.nanoTime() - startNs < durationNs) {
            writer.writeDocument();
            count++;
            documentCount = count;
        }
    }

    private void printResults(CheckedStream stream, TidiedPage page, BodyWrites bodyWrites) {
        long documents = documentCount;
        long bodyBytes = writer.bodyBytes();
        long outcCalls = documents * page.outcCallCount();
        long newlineCalls = documents * page.newlineCallCount();
        long bodyByteWrites = documents * bodyWrites.byteWriteCount(bodyBytes);
        long bodyBufferWrites = documents * bodyWrites.bufferWriteCount(bodyBytes);

        Lines.print("documents %d seconds %.1f", documents, elapsedNs / 1e9);
        printRate(documents, elapsedNs);
        Lines.print("document body_bytes %d page_outc_calls %d page_newline_calls %d",
                bodyBytes, page.outcCallCount(), page.newlineCallCount());
        Lines.print("calls ExtOutputStream.write %d OutImpl.outc %d", stream.writeCallCount(), outcCalls);
        Lines.print("callers FileOutputStream.write(int) ExtOutputStream.write %d OutImpl.outc %d ext_ratio %.4f",
                bodyByteWrites, outcCalls, bodyByteWrites / (double) (bodyByteWrites + outcCalls));
        Lines.print("callers FileOutputStream.write(byte[],int,int) BufferedOutputStream.flushBuffer %d", bodyBufferWrites);
        Lines.print("callers FileOutputStream.write(byte[]) OutImpl.newline %d", newlineCalls);
        Lines.print("write_syscalls expected %d kernel %s",
                bodyByteWrites + outcCalls + bodyBufferWrites + newlineCalls, KernelFigures.text(kernel.writeCalls()));
        Lines.print("cpu_ms %s", kernel.cpu().millisText(1));
        Lines.print("cpu_ms_per_document %s", kernel.cpu().millisText(documents));
        Lines.print("thread_cpu_ms %.4f", threadCpuNs / 1e6);
    }

    private static void printRate(long documents, long intervalNs) {
        Lines.print("rate %.1f documents/s", documents * 1e9 / intervalNs);
    }
}
