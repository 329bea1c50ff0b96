package net.thistledown.ticket;

import com.acme.load.Load;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiFunction;

/** Sells the seats of a theatre. Each ticket gets a number that no other ticket has. */
public final class SeatTickets {
    record Seat(int row, int place, double worth) {}

    record Ticket(UUID number, Seat seat, int cents) {}

    /** What is done with each seat that was sold. */
    interface Step extends BiFunction<Ticket, StringBuilder, StringBuilder> {}

    private static final List<Step> STEPS = List.of(
            (ticket, text) -> text.append(ticket.number()).append(' '),
            (ticket, text) -> text.append("row ").append(ticket.seat().row()).append(" place ").append(ticket.seat().place()),
            (ticket, text) -> text.append(' ').append(ticket.cents() / 100).append('.').append(ticket.cents() % 100).append('\n'));

    static List<Seat> hall() {
        List<Seat> hall = new ArrayList<>();
        for (int row = 1; row <= 30; row++)
            for (int place = 1; place <= 26; place++) {
                double angle = Math.atan2(place - 13.5, row + 4), far = Math.hypot(place - 13.5, row + 4);
                hall.add(new Seat(row, place, Math.cos(angle) * 100 / far + Math.exp(-Math.abs(row - 8) / 5.0)));
            }
        hall.sort(Comparator.comparingDouble(Seat::worth).reversed());
        return hall;
    }

    static UUID number() {
        return UUID.randomUUID(); // [call] [edit]
        // [new] return new UUID(ThreadLocalRandom.current().nextLong(), ThreadLocalRandom.current().nextLong());
    }

    static List<Ticket> sell(List<Seat> hall) {
        List<Ticket> sold = new ArrayList<>();
        for (int i = 0; i < hall.size(); i++)
            if (i % 5 != 0) sold.add(new Ticket(number(), hall.get(i), (int) (hall.get(i).worth() * 2000)));
        return sold;
    }

    static String print(List<Ticket> tickets) {
        StringBuilder text = new StringBuilder();
        for (Ticket ticket : tickets) for (Step step : STEPS) step.apply(ticket, text);
        return text.toString();
    }

    static void evening() {
        String text = print(sell(hall()));
        int check = 0;
        for (int round = 0; round < 2; round++) for (int i = 0; i < text.length(); i++) check = check * 31 + text.charAt(i) + round;
        Load.kept = check;
    }

    public static void main(String[] arguments) {
        Load.here(SeatTickets::evening);
    }
}
