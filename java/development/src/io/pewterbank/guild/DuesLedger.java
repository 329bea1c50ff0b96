package io.pewterbank.guild;

import com.acme.load.Load;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/** Books the dues that come in from the guild halls, and writes the letters of thanks (or of reminder). */
public final class DuesLedger {
    enum Standing {
        APPRENTICE(250), JOURNEYMAN(900), MASTER(2400);

        final long monthly;

        Standing(long monthly) {
            this.monthly = monthly;
        }
    }

    record Slip(int member, String name, Standing standing, long pence, int month) {
        static Slip parse(String line) {
            String[] parts = line.split(";");
            return new Slip(Integer.parseInt(parts[0].trim()), parts[1].trim(), Standing.valueOf(parts[2].trim()),
                    Long.parseLong(parts[3].trim()), Integer.parseInt(parts[4].trim()));
        }
    }

    record Receipt(Slip slip, long balance) {}

    /** The book. Only the bursar's thread turns its pages. */
    static final class Book {
        private final long[] balances = new long[2000];

        Receipt post(Slip slip) {
            balances[slip.member()] += slip.pence() - slip.standing().monthly;
            return new Receipt(slip, balances[slip.member()]);
        }

        List<Receipt> postAll(List<Slip> slips) {
            return slips.stream().map(this::post).collect(Collectors.toList());
        }
    }

    /** A hall sends a bundle of slips as text. */
    static final class Hall {
        private static final String[] NAMES = {"Aldous Pike", "Berta Voss", "Cuthbert Lamb", "Dora Quill", "Edwin Sallow"};
        private final Random random;
        private final int first;

        Hall(int number) {
            random = new Random(number);
            first = number * 500;
        }

        List<String> bundle() {
            List<String> lines = new ArrayList<>();
            for (int i = 0; i < 24; i++) {
                Standing standing = Standing.values()[random.nextInt(3)];
                lines.add(String.join(" ; ", String.valueOf(first + random.nextInt(400)), NAMES[random.nextInt(NAMES.length)],
                        standing.name(), String.valueOf(standing.monthly + random.nextInt(300) - 150), "" + random.nextInt(12)));
            }
            return lines;
        }
    }

    /** Writes the letters that go back with the carrier. */
    static final class Scribe {
        String letter(Receipt receipt) {
            Slip slip = receipt.slip();
            StringBuilder page = new StringBuilder();
            page.append(String.format("To %-24s (%s, no. %05d)%n%n", slip.name(), slip.standing().name().toLowerCase(), slip.member()));
            page.append("We received ").append(slip.pence() / 100.0).append(" for month ").append(slip.month() + 1);
            for (int month = 0; month < 360; month++) {
                long open = Math.round(receipt.balance() * Math.pow(1.002, month)) - slip.standing().monthly * month;
                page.append("\n  ").append(month / 12).append(" y ").append(month % 12).append(" m: ").append(open / 100);
                page.append('.').append(Math.abs(open) % 100 / 10).append(Math.abs(open) % 10).append(open < 0 ? " due" : " in hand");
            }
            return page.append(receipt.balance() < 0 ? "\nPlease remember us." : "\nWith thanks.").toString();
        }
    }

    static final class Clerk implements Load.Unit {
        private static final AtomicInteger CLERKS = new AtomicInteger();
        private final Hall hall = new Hall(CLERKS.incrementAndGet());
        private final Scribe scribe = new Scribe();
        private final Book book;
        private final ExecutorService bursar;

        Clerk(Book book, ExecutorService bursar) {
            this.book = book;
            this.bursar = bursar;
        }

        @Override
        public void run() throws Exception {
            List<Slip> slips = hall.bundle().stream().map(Slip::parse).collect(Collectors.toList());
            List<Receipt> receipts = new ArrayList<>();
            for (Slip slip : slips) // [edit]
                receipts.add(bursar.submit(() -> book.post(slip)).get()); // [call] [edit]
            // [new] receipts.addAll(bursar.submit(() -> book.postAll(slips)).get());
            int letters = 0;
            for (Receipt receipt : receipts)
                letters = letters * 31 + scribe.letter(receipt).hashCode();
            Load.kept = letters;
        }
    }

    public static void main(String[] args) {
        Book book = new Book();
        ExecutorService bursar = Executors.newSingleThreadExecutor(task -> new Thread(task, "guild-bursar"));
        Load.onThreads(2, "guild", () -> new Clerk(book, bursar));
    }
}
