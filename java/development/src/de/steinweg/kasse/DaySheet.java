package de.steinweg.kasse;

import com.acme.load.Load;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Makes the sheet of a day for the tills of a shop: tickets by branch, clerk and time, with sums. */
public final class DaySheet {
    record Ticket(String branch, String clerk, int second, int cents) {}

    static final Comparator<Ticket> ORDER = Comparator.comparing(Ticket::branch)
            .thenComparing(Ticket::clerk).thenComparingInt(Ticket::second);

    /** The tickets of a till, which gets new ones all the day. */
    static final class Till {
        private final ArrayList<Ticket> tickets = new ArrayList<>();
        private int last;

        void day(int count) {
            tickets.clear();
            for (int i = 0; i < count; i++) tickets.add(next());
        }

        Ticket next() {
            last = last * 1664525 + 1013904223;
            int chance = last >>> 8;
            return new Ticket("branch number " + chance % 7, "clerk number " + chance / 7 % 19, chance % 86400, chance % 9973);
        }

        /** The sheet, after each of the four shifts. */
        List<String> sheets() {
            List<String> sheets = new ArrayList<>();
            for (int shift = 0; shift < 4; shift++) {
                tickets.sort(ORDER); // [call] [edit]
                // [new] if (shift == 3) tickets.sort(ORDER);
                if (shift == 3) sheets.add(sums());
                else sheets.add("open " + tickets.size());
                java.util.Collections.rotate(tickets, shift == 3 ? 0 : 413);
                shuffle();
            }
            return sheets;
        }

        private void shuffle() {
            for (int i = tickets.size() - 1; i > 0; i -= 2) {
                int k = (i * 7919 + last >>> 1) % i;
                Ticket ticket = tickets.get(i);
                tickets.set(i, tickets.get(k));
                tickets.set(k, ticket);
            }
        }

        private String sums() {
            StringBuilder text = new StringBuilder();
            long sum = 0;
            for (int i = 0; i < tickets.size(); i++) {
                Ticket ticket = tickets.get(i);
                sum += ticket.cents();
                boolean end = i + 1 == tickets.size() || !tickets.get(i + 1).clerk().equals(ticket.clerk());
                if (end) {
                    text.append(ticket.branch()).append(' ').append(ticket.clerk()).append(' ').append(sum / 100).append('\n');
                    sum = 0;
                }
            }
            return text.toString();
        }
    }

    public static void main(String[] arguments) {
        Load.onThreads(2, "till", () -> {
            Till till = new Till();
            return () -> {
                till.day(2000);
                Load.kept = till.sheets();
            };
        });
    }
}
