package com.otterbank.rates;

import com.acme.load.Load;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.function.ToDoubleFunction;

/** Converts payments with the exchange rates of a file that the back office may replace at any time. */
public final class RateDesk {
    static final class RateFile implements ToDoubleFunction<String> {
        private final File file;
        private final Map<String, Double> rates = new HashMap<>();
        private long loaded = -1;
        // [new] private long checked;

        RateFile(File file) {
            this.file = file;
        }

        @Override
        public double applyAsDouble(String currency) {
            refresh();
            return rates.get(currency);
        }

        private void refresh() {
            // [new] long now = System.nanoTime();
            // [new] if (loaded != -1 && now - checked < 1_000_000_000L)
            // [new]     return;
            // [new] checked = now;
            long modified = file.lastModified(); // [call] [edit]
            // [new] long modified = file.lastModified();
            if (modified != loaded)
                load(modified);
        }

        private void load(long modified) {
            try {
                rates.clear();
                for (String line : Files.readAllLines(file.toPath()))
                    rates.put(line.substring(0, 3), Double.parseDouble(line.substring(4)));
                loaded = modified;
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
    }

    record Payment(String currency, long cents, String purpose) {}

    private final ToDoubleFunction<String> rates;

    RateDesk(ToDoubleFunction<String> rates) {
        this.rates = rates;
    }

    /** The check digits of a payment, modulo 97 over all signs of its purpose. */
    private static int check(String purpose) {
        int rest = 0;
        for (int i = 0; i < purpose.length(); i++)
            rest = (rest * 100 + purpose.charAt(i)) % 97;
        return 98 - rest;
    }

    void book(Payment[] payments) {
        long sum = 0;
        for (Payment payment : payments)
            sum = sum * 31 + Math.round(payment.cents * rates.applyAsDouble(payment.currency)) + check(payment.purpose);
        Load.kept = sum;
    }

    public static void main(String[] args) throws IOException {
        String[] currencies = {"SEK", "NOK", "DKK", "CHF", "CZK", "PLN"};
        File file = File.createTempFile("rates", ".txt");
        file.deleteOnExit();
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < currencies.length; i++)
            text.append(currencies[i]).append('=').append(0.05 + i * 0.17).append('\n');
        Files.writeString(file.toPath(), text);
        Random random = new Random(9);
        Payment[] payments = new Payment[500];
        for (int i = 0; i < payments.length; i++)
            payments[i] = new Payment(currencies[random.nextInt(currencies.length)], random.nextInt(900_000),
                    "invoice " + random.nextLong() + " of " + random.nextInt() + " " + "part ".repeat(random.nextInt(60)));
        Load.onThreads(1, "desk", () -> {
            RateDesk desk = new RateDesk(new RateFile(file));
            return () -> desk.book(payments);
        });
    }
}
