package com.acme.records;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The addresses to which the shop does not deliver. An order's address is compared with all by edit distance. */
final class BlockList {
    private static final String[] STREETS = {"Long Street", "Mill Lane", "Station Road", "Park Avenue", "Church Hill"};
    private static final String[] CITIES = {"Springfield", "Riverton", "Lakewood", "Ashford", "Kingsbridge", "Northam"};
    private static final int SIZE = 400;
    private static final int TOO_NEAR = 2;

    private final boolean locked;
    private final List<String> addresses = new ArrayList<>();

    BlockList(Settings settings) {
        locked = settings.has("lock-shared");
        Random random = new Random(11);
        for (int i = 0; i < SIZE; i++) addresses.add(address(random));
    }

    static String address(Random random) {
        return random.nextInt(200) + " " + STREETS[random.nextInt(STREETS.length)] + ", "
                + (10_000 + random.nextInt(90_000)) + " " + CITIES[random.nextInt(CITIES.length)];
    }

    boolean contains(String address, Share share) {
        return locked && share.due() ? search(address, share) : search(address);
    }

    private boolean search(String address, Share share) {
        long start = System.nanoTime();
        synchronized (this) { // [call lock-shared]
            share.spendSince(start);
            return search(address);
        }
    }

    private boolean search(String address) {
        for (String blocked : addresses) if (distance(address, blocked) <= TOO_NEAR) return true;
        return false;
    }

    private static int distance(String a, String b) {
        int[] above = new int[b.length() + 1];
        int[] row = new int[b.length() + 1];
        for (int j = 0; j < above.length; j++) above[j] = j;
        for (int i = 1; i <= a.length(); i++) {
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int replaced = above[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(replaced, 1 + Math.min(above[j], row[j - 1]));
            }
            int[] old = above;
            above = row;
            row = old;
        }
        return above[b.length()];
    }
}
