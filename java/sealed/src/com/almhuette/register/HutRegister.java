package com.almhuette.register;

import com.acme.load.Load;

// [new] import java.text.CollationKey;
import java.text.Collator;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The register of an alpine hut: who sleeps here tonight, who pays which rate, and who sits at which table. */
public final class HutRegister {
    private static final String[] STEMS = {"Öttl", "Oberhol", "Müll", "Mühl", "Strau", "Strass", "Äckerl", "Acker", "Gföll", "Höch"};
    private static final String[] ENDS = {"inger", "er", "bauer", "ß", "ner", "mann", "egger", "hofer", "moser", "lechner"};
    private static final String[] GIVEN = {"Anna", "Jörg", "Zoë", "Bärbel", "Emil", "Ída", "Renate", "Tomáš"};
    private static final String[] CLUBS = {"AV Süd", "Naturfreunde", "SAC", "CAI", "keiner"};

    private final Collator collator = Collator.getInstance(Locale.GERMANY);
    private final Random random = new Random(2964);
    private final List<Guest> guests = new ArrayList<>();
    private int night;

    final class Guest {
        final String surname, given, club;
        final int arrival, departure, language, pace;
        // [new] final CollationKey place;

        Guest(String surname, String given, String club, int arrival, int nights) {
            this.surname = surname;
            this.given = given;
            this.club = club;
            this.arrival = arrival;
            this.departure = arrival + nights;
            this.language = random.nextInt(4);
            this.pace = random.nextInt(100);
            // [new] this.place = collator.getCollationKey(surname);
        }

        boolean staysOn(int evening) {
            return arrival <= evening && evening < departure;
        }
    }

    HutRegister() {
        for (int i = 0; i < 180; i++)
            guests.add(arrive(random.nextInt(3)));
    }

    private Guest arrive(int since) {
        String surname = STEMS[random.nextInt(STEMS.length)] + ENDS[random.nextInt(ENDS.length)];
        return new Guest(surname, GIVEN[random.nextInt(GIVEN.length)], CLUBS[random.nextInt(CLUBS.length)],
                night - since, 4 + random.nextInt(9));
    }

    private int inRegisterOrder(Guest one, Guest other) {
        int order = collator.compare(one.surname, other.surname); // [call] [edit]
        // [new] int order = one.place.compareTo(other.place);
        return order != 0 ? order : one.given.compareTo(other.given);
    }

    private List<Guest> tonight() {
        return guests.stream().filter(guest -> guest.staysOn(night)).sorted(this::inRegisterOrder).toList();
    }

    private Map<String, Integer> takings(List<Guest> present) {
        return present.stream().collect(Collectors.groupingBy(guest -> guest.club, TreeMap::new,
                Collectors.summingInt(guest -> guest.club.equals("keiner") ? 38 : 24)));
    }

    /** Fills tables of six: next comes always the guest who fits best to those who sit already. */
    private int seat(List<Guest> present) {
        boolean[] seated = new boolean[present.size()];
        int harmony = 0;
        int[] table = new int[6];
        for (int placed = 0; placed < present.size(); placed++) {
            int sitting = placed % 6, best = -1, bestFit = Integer.MIN_VALUE;
            for (int candidate = 0; candidate < seated.length; candidate++) {
                if (seated[candidate])
                    continue;
                Guest guest = present.get(candidate);
                int fit = 0;
                for (int chair = 0; chair < sitting; chair++) {
                    Guest neighbour = present.get(table[chair]);
                    fit += neighbour.language == guest.language ? 40 : 0;
                    fit -= Math.abs(neighbour.pace - guest.pace);
                    fit += neighbour.club.equals(guest.club) ? 15 : 0;
                }
                if (fit > bestFit) {
                    bestFit = fit;
                    best = candidate;
                }
            }
            seated[best] = true;
            table[sitting] = best;
            harmony += bestFit;
        }
        return harmony;
    }

    void evening() {
        night++;
        guests.removeIf(guest -> guest.departure <= night);
        while (guests.size() < 180)
            guests.add(arrive(0));
        List<Guest> present = tonight();
        StringBuilder sheet = new StringBuilder();
        for (Guest guest : present)
            sheet.append(guest.surname).append(", ").append(guest.given).append(' ').append(guest.departure - night).append('\n');
        sheet.append(takings(present)).append(seat(present));
        Load.kept = sheet.toString();
    }

    public static void main(String[] args) {
        Load.onThreads(2, "hut", () -> new HutRegister()::evening);
    }
}
