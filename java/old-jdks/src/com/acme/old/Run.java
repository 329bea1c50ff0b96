package com.acme.old;

/** How long a program works: {@code -Dseconds=6}. */
final class Run {
    /** Results go here, so that no compiler drops the work. */
    static volatile Object kept;

    private static final long END = System.nanoTime() + (long) (Double.parseDouble(System.getProperty("seconds", "6")) * 1e9);

    private Run() {}

    static boolean goesOn() {
        return System.nanoTime() - END < 0;
    }
}
