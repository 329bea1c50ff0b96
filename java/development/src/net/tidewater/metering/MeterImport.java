package net.tidewater.metering;

import com.acme.load.Load;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Imports the readings of water meters. The files hold numbers of variable length, as the meters send them. */
public final class MeterImport {
    /** Where readings come from. */
    abstract static class Feed {
        abstract InputStream open() throws IOException;

        /** Gives the next number of seven-bit groups. */
        static long number(InputStream in) throws IOException {
            long value = 0;
            for (int shift = 0; ; shift += 7) {
                int group = in.read(); // [call]
                if (group < 0) throw new EOFException();
                value |= (long) (group & 127) << shift;
                if (group < 128) return value;
            }
        }
    }

    /** A file of a data logger. */
    static final class LoggerFile extends Feed {
        private final Path path;

        LoggerFile(Path path) {
            this.path = path;
        }

        @Override
        InputStream open() throws IOException {
            return new FileInputStream(path.toFile()); // [edit]
            // [new] return new java.io.BufferedInputStream(new FileInputStream(path.toFile()));
        }
    }

    record Quarter(long meter, long[] litres) {
        double spread() {
            double mean = Arrays.stream(litres).average().orElse(0), sum = 0;
            for (long litre : litres) sum += Math.pow(litre - mean, 2);
            return Math.sqrt(sum / litres.length);
        }

        long median() {
            long[] sorted = litres.clone();
            Arrays.sort(sorted);
            return sorted[sorted.length / 2];
        }
    }

    static Map<Long, String> read(Feed feed) throws IOException {
        Map<Long, String> notes = new TreeMap<>();
        try (InputStream in = feed.open()) {
            long meters = number(in);
            for (long i = 0; i < meters; i++) {
                Quarter quarter = new Quarter(number(in), new long[(int) number(in)]);
                for (int k = 0; k < quarter.litres().length; k++) quarter.litres()[k] = number(in);
                notes.put(quarter.meter(), assess(quarter));
            }
        }
        return notes;
    }

    private static long number(InputStream in) throws IOException {
        return Feed.number(in);
    }

    static String assess(Quarter quarter) {
        StringBuilder note = new StringBuilder();
        long median = quarter.median();
        double spread = quarter.spread();
        for (int window = 2; window < 34; window++) {
            double worst = 0;
            for (int start = 0; start + window < quarter.litres().length; start++) {
                double sum = 0;
                for (int k = start; k < start + window; k++) sum += quarter.litres()[k];
                worst = Math.max(worst, sum / window);
            }
            if (worst > median + 2 * spread) note.append(" leak").append(window).append('=').append((long) worst);
        }
        return note.append(" median ").append(median).toString();
    }

    static byte[] sample(int meters) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        put(out, meters);
        for (int meter = 0; meter < meters; meter++) {
            put(out, 100000 + meter * 31L);
            put(out, 96);
            for (int k = 0; k < 96; k++) put(out, (meter * 37L + k * k) % 250);
        }
        return out.toByteArray();
    }

    static void put(ByteArrayOutputStream out, long value) {
        for (; value > 127; value >>>= 7) out.write((int) (value & 127 | 128));
        out.write((int) value);
    }

    public static void main(String[] arguments) throws Exception {
        Path folder = Files.createTempDirectory("meters");
        AtomicInteger number = new AtomicInteger();
        byte[] sample = sample(40);
        for (int i = 1; i <= 2; i++) Files.write(folder.resolve("logger" + i), sample);
        Load.onThreads(2, "import", () -> {
            Feed feed = new LoggerFile(folder.resolve("logger" + number.incrementAndGet()));
            return () -> Load.kept = read(feed);
        });
    }
}
