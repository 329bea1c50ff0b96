package whittle.workloads.truth;

import java.io.FileOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import whittle.workloads.Arguments;
import whittle.workloads.KernelFigures;
import whittle.workloads.Lines;
import whittle.workloads.WorkThread;

/**
 * Threads that make the same system call alternately from two methods, with different numbers of bytes. If a profiler
 * assigns a stack to the call before or after, this is visible: a caller then has bytes per call that it never wrote.
 *
 * <p>See README.md for arguments and output.
 */
public final class AlternatingCallers {
    private static final int ODD_BYTES = 1;
    private static final int EVEN_BYTES = 512;
    /** Number of cycles between two readings of the clock. */
    private static final int CYCLES_PER_LOOK = 100;

    private static final byte[] BYTES = new byte[EVEN_BYTES];

    private final String file;
    private final long durationNs;
    private final long cycleLimit;
    /** Calls in one cycle. */
    private final int oddPerCycle;
    private final int evenPerCycle;

    private AlternatingCallers(Arguments arguments) {
        file = arguments.text("file", "/dev/null");
        oddPerCycle = (int) arguments.count("odd", 1, 1, 1000);
        evenPerCycle = (int) arguments.count("even", 1, 1, 1000);
        durationNs = arguments.has("cycles") ? Long.MAX_VALUE : arguments.secondsAsNanos(2);
        cycleLimit = arguments.count("cycles", Long.MAX_VALUE / 2);
    }

    public static void main(String[] args) throws InterruptedException {
        Arguments arguments = Arguments.read(args, "threads", "seconds", "cycles", "odd", "even", "file");
        AlternatingCallers program = new AlternatingCallers(arguments);
        List<Alternation> alternations = new ArrayList<>();
        for (int i = 0; i < arguments.count("threads", 16); i++) {
            alternations.add(program.new Alternation("alternating-" + i));
        }
        alternations.forEach(alternation -> alternation.thread.start());
        for (Alternation alternation : alternations) {
            alternation.thread.join();
        }
        program.printResults(alternations);
    }

    /** The work of one thread. */
    private final class Alternation {
        private final WorkThread thread;
        private long cycleCount;
        private KernelFigures kernel;

        Alternation(String threadName) {
            thread = new WorkThread(threadName, this::work);
        }

        private void work() throws IOException {
            try (FileOutputStream out = new FileOutputStream(file)) {
                KernelFigures start = KernelFigures.start();
                alternate(out);
                kernel = start.sinceStart();
            }
        }

        private void alternate(FileOutputStream out) throws IOException {
            long startNs = System.nanoTime();
            while (cycleCount < cycleLimit && System.nanoTime() - startNs < durationNs) {
                for (long left = Math.min(CYCLES_PER_LOOK, cycleLimit - cycleCount); left > 0; left--) {
                    cycle(out);
                    cycleCount++;
                }
            }
        }
    }

    /** Calls the methods alternately, as long as both have calls left. */
    private void cycle(FileOutputStream out) throws IOException {
        for (int i = 0; i < Math.max(oddPerCycle, evenPerCycle); i++) {
            if (i < oddPerCycle) {
                oddCaller(out);
            }
            if (i < evenPerCycle) {
                evenCaller(out);
            }
        }
    }

    private static void oddCaller(FileOutputStream out) throws IOException {
        out.write(BYTES, 0, ODD_BYTES);
    }

    private static void evenCaller(FileOutputStream out) throws IOException {
        out.write(BYTES, 0, EVEN_BYTES);
    }

    private void printResults(List<Alternation> alternations) {
        long cycles = 0;
        for (Alternation one : alternations) {
            Lines.print("thread=%s oddCaller_calls=%d evenCaller_calls=%d kernel_write_calls=%s kernel_write_bytes=%s",
                    one.thread.name(), one.cycleCount * oddPerCycle, one.cycleCount * evenPerCycle,
                    KernelFigures.text(one.kernel.writeCalls()), KernelFigures.text(one.kernel.writeBytes()));
            cycles += one.cycleCount;
        }
        long oddCalls = cycles * oddPerCycle;
        long evenCalls = cycles * evenPerCycle;
        Lines.print("caller=oddCaller calls=%d bytes=%d bytes_per_call=%d", oddCalls, oddCalls * ODD_BYTES, ODD_BYTES);
        Lines.print("caller=evenCaller calls=%d bytes=%d bytes_per_call=%d",
                evenCalls, evenCalls * EVEN_BYTES, EVEN_BYTES);
        Lines.print("total calls=%d bytes=%d file=%s",
                oddCalls + evenCalls, oddCalls * ODD_BYTES + evenCalls * EVEN_BYTES, file);
    }
}
