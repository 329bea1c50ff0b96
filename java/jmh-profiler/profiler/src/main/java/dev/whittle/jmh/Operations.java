package dev.whittle.jmh;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;

/**
 * The operations of a fork's measurement iterations, told to whittle at the fork's end in a line of its output. JMH
 * has put a stream of its own in the place of {@code System.out}; the line goes to the descriptor that whittle reads.
 */
final class Operations {
    /** For {@code whittle collect --metric}: units of work with the name "operations". */
    static final String PATTERN = "^whittle: (?<operations_count>[0-9]+) operations$";

    private long count;
    private boolean isAnnounced;

    /**
     * Counts the operations of one iteration. JMH begins some before all threads are ready and goes on while they stop;
     * they use CPU time like the others, so they count.
     */
    synchronized void add(long operations) {
        count += operations;
        if (!isAnnounced) {
            isAnnounced = true;
            // At the end, so that the line does not fall into JMH's line of an iteration.
            Runtime.getRuntime().addShutdownHook(new Thread(this::print, "whittle operations"));
        }
    }

    private synchronized void print() {
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true);
        out.println("whittle: " + count + " operations");
    }
}
