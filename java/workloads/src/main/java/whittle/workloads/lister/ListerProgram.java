package whittle.workloads.lister;

import java.io.IOException;
import java.util.Arrays;
import whittle.workloads.Arguments;
import whittle.workloads.CpuTime;
import whittle.workloads.Lines;

/** The common part of {@link Slow} and {@link Fixed}: a process lister, like ps, that makes its list again and again. */
final class ListerProgram {
    private final ProcessSize.Source source;
    private final long[] pids;
    private final ProcessSize[] sizes;

    private ListerProgram(ProcessSize.Source source, long[] pids) {
        this.source = source;
        this.pids = pids;
        sizes = new ProcessSize[pids.length];
    }

    static void run(String[] args, ProcessSize.Source source) throws IOException {
        Arguments arguments = Arguments.read(args, "pids", "rounds", "seconds");
        ListerProgram program = new ListerProgram(source, pids(arguments.text("pids", "")));
        long roundLimit = arguments.count("rounds", Long.MAX_VALUE);
        long durationNs = arguments.has("rounds") ? Long.MAX_VALUE : arguments.secondsAsNanos(2);

        CpuTime startCpu = CpuTime.ofCurrentThread();
        long startNs = System.nanoTime();
        long rounds = 0;
        while (rounds < roundLimit && System.nanoTime() - startNs < durationNs) {
            program.listProcesses();
            rounds++;
        }
        long elapsedNs = System.nanoTime() - startNs;
        program.printResults(rounds, elapsedNs, CpuTime.ofCurrentThread().since(startCpu));
    }

    private static long[] pids(String text) {
        try {
            return Arrays.stream(text.split(",")).mapToLong(Long::parseLong).toArray();
        } catch (NumberFormatException e) {
            throw Arguments.refuse("--pids wants process ids, separated by commas, found '" + text + "'");
        }
    }

    private void listProcesses() throws IOException {
        for (int i = 0; i < pids.length; i++) {
            sizes[i] = source.of(pids[i]);
        }
    }

    private void printResults(long rounds, long elapsedNs, CpuTime cpu) {
        for (ProcessSize size : sizes) {
            Lines.print("pid=%d size_kb=%d resident_kb=%d", size.pid(), size.sizeKb(), size.residentKb());
        }
        double listed = rounds * (double) pids.length;
        double seconds = elapsedNs / 1e9;
        Lines.print("rounds=%d processes=%d real_seconds=%.3f user_seconds=%.3f system_seconds=%.3f",
                rounds, pids.length, seconds, cpu.userNs() / 1e9, cpu.systemNs() / 1e9);
        Lines.print("us_per_process=%.1f processes_per_second=%.0f", seconds * 1e6 / listed, listed / seconds);
    }
}
