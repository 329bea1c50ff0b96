package whittle.workloads.truth;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import whittle.workloads.Arguments;
import whittle.workloads.CpuBurner;
import whittle.workloads.Lines;
import whittle.workloads.WorkThread;

/**
 * A busy program that starts one child after the other: a child that ends at once, one that sleeps and one that computes. The
 * children do not handle SIGPROF, so a profiler that sends it kills them. See README.md for arguments and output.
 */
public final class ExecAndChildren {
    private static final List<List<String>> COMMANDS = List.of(
            List.of("/bin/true"),
            List.of("sleep", "0.1"),
            List.of("sh", "-c", "i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done"));
    private static final long BURN_NS = 10_000_000;
    /** Java's exit value for a child that a signal ended is this number plus the signal's number. */
    private static final int ENDED_BY_SIGNAL = 128;
    private static final int SIGPROF = 27;

    private ExecAndChildren() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        Arguments arguments = Arguments.read(args, "seconds", "busy-threads");
        long durationNs = arguments.secondsAsNanos(4);
        for (int i = 0; i < arguments.count("busy-threads", 1); i++) {
            new WorkThread("busy-" + i, ExecAndChildren::burnForever).startDaemon();
        }
        Map<Integer, Long> childrenByStatus = new TreeMap<>();
        long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < durationNs) {
            for (List<String> command : COMMANDS) {
                int status = new ProcessBuilder(command).inheritIO().start().waitFor();
                childrenByStatus.merge(status, 1L, Long::sum);
            }
        }
        printResults(childrenByStatus);
    }

    private static void burnForever() {
        while (true) {
            CpuBurner.burn(BURN_NS);
        }
    }

    private static void printResults(Map<Integer, Long> childrenByStatus) {
        childrenByStatus.forEach((status, count) -> Lines.print("status=%d children=%d", status, count));
        long children = childrenByStatus.values().stream().mapToLong(count -> count).sum();
        Lines.print("children=%d nonzero=%d killed_by_sigprof=%d", children,
                children - childrenByStatus.getOrDefault(0, 0L),
                childrenByStatus.getOrDefault(ENDED_BY_SIGNAL + SIGPROF, 0L));
    }
}
