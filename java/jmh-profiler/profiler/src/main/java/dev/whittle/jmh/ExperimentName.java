package dev.whittle.jmh;

/** The file name of a fork's experiment: {@code sample.Primes.count-AverageTime-limit-20000-fork1.whittle}. */
final class ExperimentName {
    /** File systems take 255 bytes; long parameters can make more. */
    private static final int MAX_LENGTH = 200;

    private ExperimentName() {}

    /**
     * @param id of JMH, ASCII: benchmark, mode and parameters, what does not belong into a file name as {@code %2F}
     * @param fork the first is 1
     */
    static String of(String id, int fork) {
        String name = id;
        if (name.length() > MAX_LENGTH) {
            name = name.substring(0, MAX_LENGTH) + "-" + Integer.toHexString(id.hashCode());
        }
        return name + "-fork" + fork + ".whittle";
    }
}
