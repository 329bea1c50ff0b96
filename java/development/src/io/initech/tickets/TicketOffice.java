package io.initech.tickets;

import com.acme.load.Load;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/** Four counters sell seats. Sold seats are booked in one register. */
public final class TicketOffice {
    /** Seats sold by show. */
    static final class Register {
        private final ReentrantLock lock = new ReentrantLock(); // [edit]
        private final Map<String, Integer> sold = new HashMap<>(); // [edit]
        // [new] private final Map<String, Integer> sold = new ConcurrentHashMap<>();

        void book(String show, int seat) throws InterruptedException {
            lock.lock(); // [call] [edit]
            try { // [old]
                String ticket = print(show, seat); // [edit]
                sold.merge(show, ticket.length(), Integer::sum); // [old]
            } finally { // [old]
                lock.unlock(); // [old]
            } // [old]
            // [new] String ticket = print(show, seat);
            // [new] sold.merge(show, ticket.length(), Integer::sum);
        }

        private static String print(String show, int seat) throws InterruptedException {
            StringBuilder ticket = new StringBuilder(show);
            for (int i = 0; i < 12; i++) ticket.append(' ').append(seat * 31 + i);
            Thread.sleep(1); // the printer
            return ticket.toString();
        }
    }

    static final String[] SHOWS = new String[256];

    static int choose(int customer) {
        int seat = customer;
        for (int i = 0; i < 40_000; i++) seat = seat * 1103515245 + 12345;
        return seat >>> 20;
    }

    static void evening(Register register) throws InterruptedException {
        for (int customer = 0; customer < 10; customer++) {
            int seat = choose(customer);
            register.book(SHOWS[seat & 255], seat);
        }
        Load.kept = register.sold.size();
    }

    public static void main(String[] arguments) {
        for (int i = 0; i < SHOWS.length; i++) SHOWS[i] = "show " + i;
        Register register = new Register();
        Load.onThreads(4, "counter", () -> () -> evening(register));
    }
}
