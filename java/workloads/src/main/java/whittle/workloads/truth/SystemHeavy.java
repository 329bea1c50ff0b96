package whittle.workloads.truth;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import whittle.workloads.Arguments;
import whittle.workloads.CpuTime;
import whittle.workloads.KernelFigures;
import whittle.workloads.Lines;
import whittle.workloads.WorkThread;

/**
 * A fixed number of one-byte writes, and user CPU in a known proportion to the cost of the writes.
 *
 * <p>Thread {@code system-heavy} alternates {@link #writeBatch} (almost all kernel) with {@link #spin} (all user).
 * See README.md for arguments and output.
 */
public final class SystemHeavy {
    /** Writes between two periods of spinning. They take about 5 ms, much longer than the clock readings. */
    private static final long BATCH_WRITES = 20_000;
    /** Loop steps between two readings of the clock in spin(): about 0.1 ms. */
    private static final long SPIN_STEPS = 50_000;

    /** Never read. It keeps the JIT compiler from removing the loop. */
    private static volatile long sink;

    private final String file;
    private final long writeLimit;
    private final double spinRatio;

    // Results. They are read after the thread has ended.
    private long writeNs;
    private long spinNs;
    private KernelFigures kernel;

    private SystemHeavy(String file, long writeLimit, double spinRatio) {
        this.file = file;
        this.writeLimit = writeLimit;
        this.spinRatio = spinRatio;
    }

    public static void main(String[] args) throws InterruptedException, IOException {
        Arguments arguments = Arguments.read(args, "writes", "file", "spin-ratio");
        String file = arguments.has("file") ? arguments.text("file", "") : temporaryFile();
        SystemHeavy program = new SystemHeavy(
                file, arguments.count("writes", 4_000_000), arguments.number("spin-ratio", 0.25, 0, 100));
        WorkThread.runToEnd("system-heavy", program::work);
        program.printResults();
    }

    /** The default is not /dev/null: a write to it needs less CPU time in the kernel than in the JVM. */
    private static String temporaryFile() throws IOException {
        File file = File.createTempFile("whittle-system-heavy-", ".out");
        file.deleteOnExit();
        return file.getPath();
    }

    private void work() throws IOException {
        KernelFigures start = KernelFigures.start();
        try (FileOutputStream out = new FileOutputStream(file)) {
            for (long left = writeLimit; left > 0; left -= BATCH_WRITES) {
                long batchNs = writeBatch(out, Math.min(left, BATCH_WRITES));
                writeNs += batchNs;
                spinNs += spin((long) (batchNs * spinRatio));
            }
        }
        kernel = start.sinceStart();
    }

    /** Writes a batch. Returns its CPU time in nanoseconds. */
    private static long writeBatch(FileOutputStream out, long writes) throws IOException {
        long startNs = CpuTime.currentThreadCpuNs();
        for (long i = 0; i < writes; i++) {
            out.write('x');
        }
        return CpuTime.currentThreadCpuNs() - startNs;
    }

    /** Burns at least {@code targetNs} of CPU. Returns the actual CPU time. */
    private static long spin(long targetNs) {
        if (targetNs == 0) {
            return 0;
        }
        long startNs = CpuTime.currentThreadCpuNs();
        long spentNs;
        do {
            long x = startNs | 1;
            for (long i = 0; i < SPIN_STEPS; i++) {
                x ^= x << 13;
                x ^= x >>> 7;
                x ^= x << 17;
            }
            sink = x;
            spentNs = CpuTime.currentThreadCpuNs() - startNs;
        } while (spentNs < targetNs);
        return spentNs;
    }

    private void printResults() {
        CpuTime cpu = kernel.cpu();
        Lines.print("writes %d", writeLimit);
        Lines.print("write_syscalls kernel %s", KernelFigures.text(kernel.writeCalls()));
        Lines.print("write_batch_cpu_ms %.1f", writeNs / 1e6);
        Lines.print("spin_cpu_ms %.1f", spinNs / 1e6);
        Lines.print("spin_cpu_ratio %.4f", spinNs / (double) (spinNs + writeNs));
        Lines.print("cpu_ms %s", cpu.millisText(1));
        Lines.print("system_cpu_ratio %.4f", cpu.systemNs() / (double) cpu.cpuNs());
    }
}
