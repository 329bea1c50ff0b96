package io.initech.spool;

import com.acme.load.Load;
import java.io.ByteArrayOutputStream;
import java.util.function.IntFunction;

/** Collects pages of print jobs in memory until the job is complete. */
public final class Spooler {
    /** A job that is being received. The job knows how many pages it will have. */
    static final class Job {
        private final int pages;
        private final ByteArrayOutputStream received;

        Job(int pages, IntFunction<ByteArrayOutputStream> memory) {
            this.pages = pages;
            this.received = memory.apply(pages * PAGE_BYTES);
        }

        long complete() {
            byte[] page = new byte[PAGE_BYTES];
            for (int number = 0; number < pages; number++) {
                page[number % PAGE_BYTES] ^= (byte) number;
                received.write(page, 0, page.length); // [call]
            }
            return checksum(page) + received.size();
        }
    }

    static final int PAGE_BYTES = 4096;

    static long checksum(byte[] page) {
        long sum = 0;
        for (int round = 0; round < 60; round++) for (byte b : page) sum = sum * 31 + b;
        return sum;
    }

    static ByteArrayOutputStream growing(int expectedBytes) {
        return new ByteArrayOutputStream(); // [edit]
        // [new] return new ByteArrayOutputStream(expectedBytes);
    }

    public static void main(String[] arguments) {
        Load.onThreads(1, "spooler", () -> () -> Load.kept = new Job(1100, Spooler::growing).complete());
    }
}
