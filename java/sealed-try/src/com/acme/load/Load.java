package com.acme.load;

import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/** Repeats units of work on threads, and prints the cost of a unit. All programs in this folder use this class. */
public final class Load {
    /** A piece of work after which the program has done something for its user. */
    @FunctionalInterface
    public interface Unit {
        void run() throws Exception;
    }

    /** Results go here, so that no compiler drops the work. */
    public static volatile Object kept;

    private static final LongAdder UNITS = new LongAdder();
    private static final double WARM = Double.parseDouble(System.getProperty("warm", "1.5"));
    private static final double SECONDS = Double.parseDouble(System.getProperty("seconds", "6"));

    private Load() {}

    /** Works on the calling thread. Does not return. */
    public static void here(Unit unit) {
        Thread clock = new Thread(() -> watch("main"), "load-clock");
        clock.setDaemon(true);
        clock.start();
        repeat(unit);
    }

    /** Works on {@code count} threads named {@code name-1} and so on, each with its own unit. Does not return. */
    public static void onThreads(int count, String name, Supplier<Unit> units) {
        for (int i = 1; i <= count; i++) {
            Unit unit = units.get();
            new Thread(() -> repeat(unit), name + "-" + i).start();
        }
        watch(name + "-");
    }

    private static void repeat(Unit unit) {
        try {
            for (;;) {
                unit.run();
                UNITS.increment();
            }
        } catch (Throwable failure) {
            failure.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
    }

    /** Prints a line after warm-up and measurement, with the CPU time of threads whose names start with {@code threads}. */
    private static void watch(String threads) {
        pause(WARM);
        long units = UNITS.sum(), cpu = cpuNs(threads), start = System.nanoTime();
        System.out.println("warm");
        pause(SECONDS);
        units = UNITS.sum() - units;
        double cpuUs = (cpuNs(threads) - cpu) / 1e3, elapsedUs = (System.nanoTime() - start) / 1e3;
        System.out.printf(Locale.ROOT, "result units=%d elapsed_us_per_unit=%.2f work_cpu_us_per_unit=%.2f%n",
                units, elapsedUs / units, cpuUs / units);
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    private static long cpuNs(String threads) {
        var bean = ManagementFactory.getThreadMXBean();
        long sum = 0;
        for (var thread : bean.getThreadInfo(bean.getAllThreadIds()))
            if (thread != null && thread.getThreadName().startsWith(threads))
                sum += bean.getThreadCpuTime(thread.getThreadId());
        return sum;
    }

    private static void pause(double seconds) {
        try {
            Thread.sleep((long) (seconds * 1000));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
