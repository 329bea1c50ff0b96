package dev.whittle.jmh;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;

/**
 * The operations of a fork's measurement iterations. At its end, the fork prints their number in a line for whittle. JMH
 * has replaced {@code System.out} by its own stream, so the line is written to the descriptor that whittle reads.
 */
final class Operations {
    /** For {@code whittle collect --metric}: units of work with the name "operations". */
    static final String PATTERN = "^whittle: (?<operations_count>[0-9]+) operations$";

    private long count;
    private boolean isAnnounced;

    /**
     * Adds the operations of one iteration. JMH begins some operations before all threads are ready, and others while the
     * threads stop. These operations also use CPU time, so they are included.
     */
    synchronized void add(long operations) {
        count += operations;
        if (!isAnnounced) {
            isAnnounced = true;
            // The line is printed at the end, so that it does not interrupt JMH's line for an iteration.
            Runtime.getRuntime().addShutdownHook(new Thread(this::print, "whittle operations"));
        }
    }

    private synchronized void print() {
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true);
        out.println("whittle: " + count + " operations");
    }
}
