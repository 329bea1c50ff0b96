package whittle.healthy;

import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;

/** Repeats units of work on named threads for {@code -Dseconds} and prints how many were done. */
final class Load {
    /** A unit of work, done by the thread with this number. */
    @FunctionalInterface
    interface Unit {
        void run(int thread) throws Exception;
    }

    private static final LongAdder UNITS = new LongAdder();

    private Load() {}

    static double seconds() {
        return Double.parseDouble(System.getProperty("seconds", "60"));
    }

    /** Starts {@code threads} threads that work until the time is over. */
    static void start(String name, int threads, Unit unit) {
        long end = System.nanoTime() + (long) (seconds() * 1e9);
        for (int i = 0; i < threads; i++) {
            int number = i;
            new Thread(() -> repeat(unit, number, end), name + "-" + number).start();
        }
    }

    /** Counts a unit that a library's thread has done. */
    static void done() {
        UNITS.increment();
    }

    /** Waits until the time is over, prints the number of units, and ends the program. */
    static void finish() throws InterruptedException {
        Thread.sleep((long) (seconds() * 1000));
        System.out.printf(Locale.ROOT, "result units=%d units_per_second=%.1f%n", UNITS.sum(), UNITS.sum() / seconds());
        System.exit(0);
    }

    private static void repeat(Unit unit, int number, long end) {
        try {
            while (System.nanoTime() < end) {
                unit.run(number);
                done();
            }
        } catch (Exception failure) {
            failure.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
    }
}
