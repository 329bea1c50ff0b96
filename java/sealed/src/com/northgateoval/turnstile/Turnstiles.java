package com.northgateoval.turnstile;

import com.acme.load.Load;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The entrance of a stadium: gates check ticket codes, and the stewards' desk hears when a stand fills up. */
public final class Turnstiles {
    static final int STANDS = 6;

    /** How many people are in each stand, and somebody who waits for the next round number. */
    static final class Headcount {
        private final int[] inStand = new int[STANDS];
        private long total;

        void enter(int stand, int people) {
            synchronized (this) { // [call]
                inStand[stand] += people;
                total += people;
                notifyAll(); // [call] [or]
            } // [call]
        }

        synchronized long awaitTotal(long wanted) throws InterruptedException {
            while (total < wanted)
                wait();
            return total;
        }

        synchronized int fullest() {
            int best = 0;
            for (int stand = 1; stand < STANDS; stand++)
                if (inStand[stand] > inStand[best])
                    best = stand;
            return best;
        }
    }

    interface DeskListener {
        void roundNumber(long people, int fullestStand);
    }

    static final class Desk extends Thread {
        private final Headcount headcount;
        private final long block;
        private final List<DeskListener> listeners = new ArrayList<>();

        Desk(Headcount headcount, long block) {
            super("gate-desk");
            setDaemon(true);
            this.headcount = headcount;
            this.block = block;
        }

        void onRoundNumber(DeskListener listener) {
            listeners.add(listener);
        }

        @Override
        public void run() {
            try {
                for (long next = block;;) {
                    long people = headcount.awaitTotal(next);
                    for (DeskListener listener : listeners)
                        listener.roundNumber(people, headcount.fullest());
                    next = (people / block + 1) * block;
                }
            } catch (InterruptedException closing) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** A gate has the queue of one part of the evening, and works through it again and again. */
    static final class Gate implements Load.Unit {
        private final Headcount headcount;
        private final byte[][] queue;

        Gate(Headcount headcount, Random random, int visitors) {
            this.headcount = headcount;
            queue = new byte[visitors][700];
            for (byte[] ticket : queue) {
                random.nextBytes(ticket);
                ticket[0] = (byte) random.nextInt(STANDS);
            }
        }

        @Override
        public void run() {
            long admitted = 0, refused = 0;
            // [new] int[] peopleOfStand = new int[STANDS];
            for (byte[] ticket : queue) {
                int mark = signature(ticket);
                if ((mark & 15) == 3) {
                    refused += mark & 0xff;
                    continue;
                }
                int people = 1 + (mark >>> 6 & 3);
                headcount.enter(ticket[0], people); // [call] [edit]
                // [new] peopleOfStand[ticket[0]] += people;
                admitted += people;
            }
            // [new] for (int stand = 0; stand < STANDS; stand++) headcount.enter(stand, peopleOfStand[stand]);
            Load.kept = admitted * 1_000_000 + refused;
        }

        /** The code on the ticket is signed with a shift register over its bits. */
        private static int signature(byte[] ticket) {
            int register = 0x1d0f;
            for (int i = 1; i < ticket.length; i++) {
                register ^= (ticket[i] & 0xff) << 8;
                for (int bit = 0; bit < 8; bit++)
                    register = (register & 0x8000) != 0 ? register << 1 ^ 0x1021 : register << 1;
                register &= 0xffff;
            }
            return register;
        }
    }

    static volatile long lastRoundNumber;
    public static void main(String[] args) {
        Headcount headcount = new Headcount();
        Desk desk = new Desk(headcount, 5_000);
        desk.onRoundNumber((people, stand) -> lastRoundNumber = people * STANDS + stand);
        desk.start();
        Random random = new Random(20_260);
        Load.onThreads(2, "gate", () -> new Gate(headcount, random, 400));
    }
}
