package com.stagelight.booking;

import com.acme.load.Load;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** Sells the seats of one theatre at several counters; the card terminal answers each counter after a moment. */
public final class BoxOffice {
    record Ticket(int row, int seat, String stamp) {}

    /** Answers like the bank's terminal does, in its own time. */
    static final class CardTerminal {
        private final Executor later = CompletableFuture.delayedExecutor(1500, TimeUnit.MICROSECONDS);

        CompletableFuture<Long> charge(long cents) {
            return CompletableFuture.supplyAsync(() -> cents * 31 + 7, later);
        }
    }

    /** The house and which of its seats are gone; old sales become free again when their show is over. */
    static final class Hall {
        private static final int ROWS = 40, SEATS = 50;
        private final BitSet taken = new BitSet(ROWS * SEATS);
        private final Deque<Integer> sold = new ArrayDeque<>();
        private final Stamper stamper = new Stamper();

        Ticket sell(long receipt) throws GeneralSecurityException {
            int place;
            String stamp;
            synchronized (taken) { // [call] [or]
                place = reserve();
                stamp = stamper.stamp(place, receipt); // [edit]
            }
            // [new] stamp = stamper.stamp(place, receipt);
            return new Ticket(place / SEATS, place % SEATS, stamp);
        }

        private int reserve() {
            if (sold.size() > ROWS * SEATS / 2)
                taken.clear(sold.removeFirst());
            int best = taken.nextClearBit(ThreadLocalRandom.current().nextInt(ROWS * SEATS / 4));
            taken.set(best);
            sold.addLast(best);
            return best;
        }
    }

    /** Works out the stamp that the ushers' scanners accept: a digest run many times over with the house's key. */
    static final class Stamper {
        private static final int RUNS = 13000;
        private final byte[] key = HexFormat.of().parseHex("7d1f00c3a9e84b52aa10c4be");

        String stamp(int place, long receipt) throws GeneralSecurityException {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            byte[] state = ByteBuffer.allocate(12).putInt(place).putLong(receipt).array();
            for (int run = 0; run < RUNS; run++) {
                digest.update(key);
                state = digest.digest(state);
            }
            return HexFormat.of().formatHex(state, 0, 10);
        }
    }

    /** One counter with its queue of customers. */
    static final class Counter {
        private final Hall hall;
        private final CardTerminal terminal;
        private long takings;
        private int checksum;

        Counter(Hall hall, CardTerminal terminal) {
            this.hall = hall;
            this.terminal = terminal;
        }

        void serve() throws Exception {
            long price = 1800 + ThreadLocalRandom.current().nextInt(40) * 100L;
            long receipt = terminal.charge(price).get();
            Ticket ticket = hall.sell(receipt);
            takings += price;
            checksum = 31 * checksum + ticket.hashCode();
            Load.kept = ticket;
        }
    }

    private BoxOffice() {}

    public static void main(String[] args) {
        Hall hall = new Hall();
        CardTerminal terminal = new CardTerminal();
        Load.onThreads(4, "counter", () -> {
            Counter counter = new Counter(hall, terminal);
            return counter::serve;
        });
    }
}
