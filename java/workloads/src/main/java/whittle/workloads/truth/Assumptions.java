package whittle.workloads.truth;

/**
 * Every 300 ms, a method takes a branch that it has never taken before. Its compiled code has no code for this branch and is
 * given up.
 *
 * <p>Argument: seconds.
 */
public final class Assumptions {
    private static final int BRANCHES = 13;
    private static final long PHASE_NANOS = 300_000_000L;
    private static final int ROUNDS = 10_000;

    private Assumptions() {
    }

    public static void main(String[] arguments) {
        long end = System.nanoTime() + Long.parseLong(arguments[0]) * 1_000_000_000L;
        long sum = 0;
        for (int kind = 0; kind < BRANCHES && System.nanoTime() < end; kind++) {
            for (long phaseEnd = System.nanoTime() + PHASE_NANOS; System.nanoTime() < phaseEnd;) {
                for (int round = 0; round < ROUNDS; round++) {
                    sum += value(round % (kind + 1), round);
                }
            }
        }
        System.out.println(sum);
    }

    /** The compiler leaves out branches that were never taken. */
    private static long value(int kind, long round) {
        if (kind == 1) {
            return round * 3;
        }
        if (kind == 2) {
            return round ^ 5;
        }
        if (kind == 3) {
            return round / 7;
        }
        if (kind == 4) {
            return round - 9;
        }
        if (kind == 5) {
            return round % 11;
        }
        if (kind == 6) {
            return round | 13;
        }
        if (kind == 7) {
            return round & 15;
        }
        if (kind == 8) {
            return round << 1;
        }
        if (kind == 9) {
            return round >> 2;
        }
        if (kind == 10) {
            return round * round;
        }
        if (kind == 11) {
            return -round;
        }
        if (kind == 12) {
            return ~round;
        }
        return round + 17;
    }
}
