package com.acme.ledger;

import com.acme.load.Load;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/** Two threads write the day's bookings as binary records, each into its own file. */
public final class Ledger {
    record Booking(int account, long cents, String text) {}

    /** How a book gets its file. The start of the program decides this. */
    interface Storage {
        OutputStream create(Path path) throws IOException;
    }

    /** The binary form. */
    static final class Book implements AutoCloseable {
        private final DataOutputStream records;

        Book(Storage storage, Path path) throws IOException {
            records = new DataOutputStream(storage.create(path));
        }

        void add(Booking booking) throws IOException {
            records.writeInt(booking.account()); // [call]
            records.writeLong(booking.cents()); // [call]
            records.writeUTF(booking.text()); // [call]
        }

        @Override
        public void close() throws IOException {
            records.close();
        }
    }

    static List<Booking> day(int count) {
        return IntStream.range(0, count).mapToObj(i -> new Booking(i % 97, i * 7919L, "order " + i % 13)).toList();
    }

    static long balance(List<Booking> bookings) {
        long[] accounts = new long[97];
        for (int round = 0; round < 40; round++)
            for (Booking booking : bookings) accounts[booking.account()] += booking.cents() * round % 1009;
        long sum = 0;
        for (long account : accounts) sum = sum * 31 + account;
        return sum;
    }

    static void writeDay(Storage storage, Path path) throws IOException {
        List<Booking> bookings = day(1500);
        try (Book book = new Book(storage, path)) {
            for (Booking booking : bookings) book.add(booking);
        }
        Load.kept = balance(bookings);
    }

    public static void main(String[] arguments) throws Exception {
        Path folder = Files.createTempDirectory("ledger");
        Storage plain = path -> Files.newOutputStream(path); // [edit]
        // [new] Storage plain = path -> new java.io.BufferedOutputStream(Files.newOutputStream(path));
        int[] number = new int[1];
        Load.onThreads(2, "bookkeeper", () -> {
            Path path = folder.resolve("book" + number[0]++);
            return () -> writeDay(plain, path);
        });
    }
}
