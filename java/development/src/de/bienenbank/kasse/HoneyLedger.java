package de.bienenbank.kasse;

import com.acme.load.Load;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.zip.CRC32;

/** The till of a beekeepers' cooperative: four counters take honey in and write it to one day book. */
public final class HoneyLedger {
    record Lot(String keeper, int jars, double kilos, double water) {}

    /** The day book. It keeps the last pages for the printer and a running checksum for the auditors. */
    static final class DayBook {
        private final Deque<String> pages = new ArrayDeque<>();
        private final CRC32 seal = new CRC32();
        private long pageCount;

        long enter(Lot lot, Grading grading, LabelPrinter printer) {
            synchronized (this) { // [call] [edit]
                String page = page(lot, grading); // [edit]
                String label = printer.label(page); // [edit]
            // [new] String page = page(lot, grading);
            // [new] String label = printer.label(page);
            // [new] synchronized (this) {
                pages.addLast(label + page);
                if (pages.size() > 50)
                    pages.removeFirst();
                seal.update(page.length());
                return ++pageCount;
            }
        }

        private static String page(Lot lot, Grading grading) {
            StringBuilder page = new StringBuilder(40 * lot.jars());
            page.append(lot.keeper()).append('\n');
            BigDecimal rest = BigDecimal.valueOf(lot.kilos());
            BigDecimal share = rest.divide(BigDecimal.valueOf(lot.jars()), 3, RoundingMode.HALF_EVEN);
            for (int jar = 1; jar <= lot.jars(); jar++) {
                BigDecimal price = share.multiply(grading.pricePerKilo()).setScale(2, RoundingMode.HALF_UP);
                page.append(jar).append("  ").append(share.toPlainString().replace('.', ',')).append(" kg  ")
                        .append(price.toPlainString().replace('.', ',')).append(" EUR\n");
                rest = rest.subtract(share);
            }
            return page.append("Rest ").append(rest.toPlainString()).append('\n').toString();
        }
    }

    /** The printer at a counter; it answers when the label has left it. */
    static final class LabelPrinter {
        private static final long FEED_NANOS = 400_000;

        String label(String page) {
            LockSupport.parkNanos(FEED_NANOS);
            return "L" + Integer.toHexString(page.hashCode()) + '\n';
        }
    }

    /** Grades a lot by its pollen picture. */
    static final class Grading {
        private final BigDecimal price;

        private Grading(BigDecimal price) {
            this.price = price;
        }

        static Grading of(Lot lot, int pollenGrains) {
            long state = lot.keeper().hashCode();
            double linden = 0;
            for (int grain = 0; grain < pollenGrains; grain++) {
                state = state * 2862933555777941757L + 3037000493L;
                double angle = (state >>> 20) / (double) (1L << 44) * Math.PI;
                linden += Math.abs(Math.cos(3 * angle)) > 0.7 + lot.water() ? 1 : 0;
            }
            double share = linden / pollenGrains;
            return new Grading(BigDecimal.valueOf(6.2 + 4 * share).setScale(2, RoundingMode.HALF_UP));
        }

        BigDecimal pricePerKilo() {
            return price;
        }
    }

    /** A counter in the hall; it tells its listeners of every lot that it took. */
    static final class Counter implements Load.Unit {
        private static final long SETTLE_NANOS = 900_000; // the scale comes to rest
        private final Random random;
        private final String name;
        private final BiConsumer<Lot, LabelPrinter> listener;
        private final LabelPrinter printer = new LabelPrinter();

        Counter(int number, BiConsumer<Lot, LabelPrinter> listener) {
            this.random = new Random(number);
            this.name = "Theke " + number;
            this.listener = listener;
        }

        @Override
        public void run() {
            Lot lot = new Lot(name + " Imker " + random.nextInt(900), 900 + random.nextInt(100),
                    200 + random.nextInt(100), 0.15 + random.nextDouble() * 0.05);
            LockSupport.parkNanos(SETTLE_NANOS);
            listener.accept(lot, printer);
        }
    }

    public static void main(String[] args) {
        DayBook book = new DayBook();
        int[] number = {0};
        Load.onThreads(4, "counter", () -> new Counter(++number[0], (lot, printer) ->
                Load.kept = book.enter(lot, Grading.of(lot, 3_000), printer)));
    }
}
