package com.ravensbourne.tram;

import com.acme.load.Load;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.function.Consumer;

/** Simulates the trams of a line for a day, and records every stop. */
public final class TripRecorder {
    /** A protocol in a file. */
    static final class Protocol implements AutoCloseable {
        private final PrintWriter out;

        Protocol(Path file) throws IOException {
            BufferedWriter writer = Files.newBufferedWriter(file);
            out = new PrintWriter(writer, true); // [edit]
            // [new] out = new PrintWriter(writer);
        }

        void add(String record) {
            out.println(record); // [call]
        }

        @Override
        public void close() {
            out.close();
        }
    }

    private final Path file;
    private final int[] queue = new int[38];

    TripRecorder(Path file) {
        this.file = file;
    }

    /** Passengers come to all stops while a tram goes from one to the next. */
    private void tram(int number, Random random, Consumer<String> records) {
        int aboard = 0, clock = number * 6 * 60;
        for (int stop = 0; stop < queue.length; stop++) {
            int ride = 45 + random.nextInt(90);
            clock += ride;
            for (int other = 0; other < queue.length; other++)
                if ((random.nextInt() & 255) < ride)
                    queue[other]++;
            int leave = aboard == 0 ? 0 : random.nextInt(aboard + 1);
            int enter = Math.min(queue[stop], 140 - aboard + leave);
            queue[stop] -= enter;
            aboard += enter - leave;
            records.accept(number + ";" + stop + ";" + clock + ";" + enter + ";" + leave + ";" + aboard);
        }
    }

    void day() throws IOException {
        Random random = new Random(28);
        java.util.Arrays.fill(queue, 0);
        try (Protocol protocol = new Protocol(file)) {
            for (int number = 0; number < 60; number++)
                tram(number, random, protocol::add);
        }
        Load.kept = Files.size(file) * 31 + java.util.Arrays.hashCode(queue);
    }

    public static void main(String[] args) throws IOException {
        Path file = Files.createTempFile("tram", ".csv");
        file.toFile().deleteOnExit();
        Load.onThreads(1, "tram", () -> new TripRecorder(file)::day);
    }
}
