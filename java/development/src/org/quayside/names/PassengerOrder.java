package org.quayside.names;

import com.acme.load.Load;
import java.text.CollationKey;
import java.text.Collator;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Orders the passengers of a ferry by name, and gives them cabins. */
public final class PassengerOrder {
    /** A passenger knows the place of the name in the order of the language. */
    record Passenger(String name, int party, CollationKey key) {}

    record Cabin(int deck, int number, List<Passenger> guests) {}

    private final Collator order = Collator.getInstance(Locale.FRENCH);
    private final List<Passenger> booked = new ArrayList<>();

    PassengerOrder(int count) {
        String[] names = {"Élodie", "Zoé", "André", "Noël", "Agnès", "Étienne", "Inès", "Hélène", "Jean", "Paul"};
        for (int i = 0; i < count; i++) {
            String name = names[i * 7 % 10] + " " + names[i / 10 % 10] + (char) ('a' + i % 26) + (char) ('a' + i / 26 % 26);
            booked.add(new Passenger(name, i / 3, order.getCollationKey(name)));
        }
    }

    int compare(Passenger one, Passenger two) {
        return order.compare(one.name(), two.name()); // [call] [edit]
        // [new] return one.key().compareTo(two.key());
    }

    List<Passenger> sorted() {
        List<Passenger> list = new ArrayList<>(booked);
        list.sort(this::compare);
        return list;
    }

    /** Parties stay together, first fit by free beds. */
    List<Cabin> cabins(List<Passenger> list) {
        Map<Integer, List<Passenger>> parties = new TreeMap<>();
        for (Passenger passenger : list) parties.computeIfAbsent(passenger.party(), party -> new ArrayList<>()).add(passenger);
        List<Cabin> cabins = new ArrayList<>();
        for (int i = 0; i < list.size() / 3 + 20; i++) cabins.add(new Cabin(4 + i % 6, i, new ArrayList<>()));
        for (List<Passenger> party : parties.values())
            for (Cabin cabin : cabins)
                if (cabin.guests().size() + party.size() <= 4) {
                    cabin.guests().addAll(party);
                    break;
                }
        return cabins;
    }

    static String plan(List<Cabin> cabins) {
        StringBuilder plan = new StringBuilder();
        for (Cabin cabin : cabins) {
            plan.append(cabin.deck()).append('-').append(cabin.number()).append(": ");
            for (Passenger guest : cabin.guests()) plan.append(guest.name().toUpperCase(Locale.ROOT)).append(", ");
            plan.append('\n');
        }
        return plan.toString();
    }

    void board() {
        String plan = plan(cabins(sorted()));
        int check = 0;
        for (int i = 0; i < plan.length(); i++) check = check * 31 + plan.charAt(i);
        Load.kept = check;
    }

    public static void main(String[] arguments) {
        Load.onThreads(2, "ferry", () -> new PassengerOrder(700)::board);
    }
}
