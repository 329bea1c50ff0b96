package dev.whittle.jmh;

/** The file name of a fork's experiment: {@code sample.Primes.count-AverageTime-limit-20000-fork1.whittle}. */
final class ExperimentName {
    /** File systems allow 255 bytes, and names with long parameters can be longer. */
    private static final int MAX_LENGTH = 200;

    private ExperimentName() {}

    /**
     * @param id JMH's id: benchmark, mode and parameters in ASCII; characters not allowed in file names are {@code %2F}
     * @param fork number of the fork; the first fork is 1
     */
    static String of(String id, int fork) {
        String name = id;
        if (name.length() > MAX_LENGTH) {
            name = name.substring(0, MAX_LENGTH) + "-" + Integer.toHexString(id.hashCode());
        }
        return name + "-fork" + fork + ".whittle";
    }
}
