package com.stallmarket.auction;

import com.acme.load.Load;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/** Reviews the night of an online auction house: which lots rose, at what time, and how fast. */
public final class BidBook {
    record Bid(int lot, int paddle, int second, long cents) {}

    /** A bid that beat the one before it. */
    record Rise(Integer lot, LocalTime at, Double pace) {
        int hour() {
            return at.getHour();
        }
    }

    /** What is told about a night, by hour and lot. */
    static final class Tally {
        private final int[] rises = new int[24];
        private final double[] pace = new double[24];
        private final double[] hottest;

        Tally(int lots) {
            hottest = new double[lots];
        }

        void add(int lot, int hour, double speed) {
            rises[hour]++;
            pace[hour] += speed;
            hottest[lot] = Math.max(hottest[lot], speed);
        }

        String text() {
            int busiest = 0, lot = 0;
            for (int hour = 1; hour < 24; hour++) if (rises[hour] > rises[busiest]) busiest = hour;
            for (int i = 1; i < hottest.length; i++) if (hottest[i] > hottest[lot]) lot = i;
            double mean = pace[busiest] / Math.max(1, rises[busiest]);
            return "busiest hour " + busiest + " (" + rises[busiest] + " rises, pace " + Math.round(mean * 1000)
                    + "), hottest lot " + lot;
        }
    }

    private final Bid[] night;
    private final int lots;
    private final long[] standing;
    private final int[] since;

    private BidBook(int lots, int bids, long seed) {
        this.lots = lots;
        standing = new long[lots];
        since = new int[lots];
        night = new Bid[bids];
        Random random = new Random(seed);
        long[] price = new long[lots];
        for (int i = 0; i < bids; i++) {
            int lot = random.nextInt(lots);
            price[lot] += 50 + random.nextInt(900);
            night[i] = new Bid(lot, random.nextInt(5000), (int) (i * 86_399L / bids), price[lot] - random.nextInt(300));
        }
    }

    private String review() {
        java.util.Arrays.fill(standing, 0);
        java.util.Arrays.fill(since, 0);
        Tally tally = new Tally(lots);
        List<Rise> rises = new ArrayList<>(); // [old]
        for (Bid bid : night) {
            if (bid.cents() <= standing[bid.lot()] || doubt(bid) > 1.9) continue;
            double pace = Math.log1p(bid.cents() - standing[bid.lot()]) / Math.sqrt(1 + bid.second() - since[bid.lot()]);
            rises.add(new Rise(bid.lot(), LocalTime.ofSecondOfDay(bid.second()), pace)); // [call] [edit]
            // [new] tally.add(bid.lot(), bid.second() / 3600, pace);
            standing[bid.lot()] = bid.cents();
            since[bid.lot()] = bid.second();
        }
        for (Rise rise : rises) tally.add(rise.lot(), rise.hour(), rise.pace()); // [old]
        return tally.text();
    }

    /** Compares a bid with the habits of its paddle. */
    private static double doubt(Bid bid) {
        double doubt = 0, habit = bid.paddle() % 97;
        for (int evening = 1; evening <= 3; evening++) {
            double usual = 200 + 40 * Math.sin(habit + evening * 0.31);
            double off = (Math.log(bid.cents()) * 25 - usual) / (30 + evening);
            doubt += Math.exp(-off * off) / evening;
        }
        return doubt;
    }

    public static void main(String[] args) {
        Locale.setDefault(Locale.ROOT);
        Load.onThreads(2, "review", () -> {
            BidBook book = new BidBook(900, 150_000, 5);
            return () -> Load.kept = book.review();
        });
    }
}
