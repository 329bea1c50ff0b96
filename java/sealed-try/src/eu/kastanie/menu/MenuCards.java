package eu.kastanie.menu;

import com.acme.load.Load;
import java.util.ListResourceBundle;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.ResourceBundle;
import java.util.concurrent.ConcurrentHashMap;

/** Prints menu cards in the language of the guest. */
public final class MenuCards {
    public static final class Words extends ListResourceBundle {
        @Override
        protected Object[][] getContents() {
            return new Object[][] {{"soup", "Soup of the day"}, {"fish", "Smoked trout"}, {"meat", "Braised beef"},
                {"sweet", "Chestnut cake"}, {"with", "with"}, {"bread", "rye bread"}, {"greens", "garden greens"}};
        }
    }

    public static final class Words_de extends ListResourceBundle {
        @Override
        protected Object[][] getContents() {
            return new Object[][] {{"soup", "Tagessuppe"}, {"fish", "Forelle"}, {"meat", "Schmorbraten"},
                {"sweet", "Kastanientorte"}, {"with", "mit"}, {"bread", "Roggenbrot"}, {"greens", "Gartensalat"}};
        }
    }

    /** The words of the cards. */
    static final class Texts {
        private static final String BASE = Words.class.getName();
        // [new] private static final Map<Locale, ResourceBundle> BUNDLES = new ConcurrentHashMap<>();

        private Texts() {}

        static String word(String key, Locale locale) {
            return ResourceBundle.getBundle(BASE, locale).getString(key); // [call] [edit]
            // [new] return BUNDLES.computeIfAbsent(locale, its -> ResourceBundle.getBundle(BASE, its)).getString(key);
        }
    }

    enum Course {
        SOUP("soup", "bread"), FISH("fish", "greens"), MEAT("meat", "bread"), SWEET("sweet", null);

        private final String dish, side;

        Course(String dish, String side) {
            this.dish = dish;
            this.side = side;
        }

        void print(StringBuilder card, Locale locale) {
            card.append(Texts.word(dish, locale));
            if (side != null)
                card.append(' ').append(Texts.word("with", locale)).append(' ').append(Texts.word(side, locale));
        }
    }

    record Guest(Locale locale, int[] cents) {}

    private static void justify(StringBuilder card, int start, int cents) {
        String price = cents / 100 + "," + cents / 10 % 10 + cents % 10;
        for (int width = card.length() - start; width < 60 - price.length(); width++)
            card.append(width % 2 == 0 ? '.' : ' ');
        card.append(price).append('\n');
    }

    static String card(Guest guest) {
        StringBuilder card = new StringBuilder(256);
        for (Course course : Course.values()) {
            int start = card.length();
            course.print(card, guest.locale);
            justify(card, start, guest.cents[course.ordinal()]);
        }
        return card.toString();
    }

    public static void main(String[] args) {
        Random random = new Random(12);
        Guest[] evening = new Guest[150];
        for (int i = 0; i < evening.length; i++)
            evening[i] = new Guest(i % 3 == 0 ? Locale.ENGLISH : Locale.GERMAN, random.ints(4, 300, 4_000).toArray());
        Load.onThreads(1, "waiter", () -> () -> {
            int sum = 0;
            for (Guest guest : evening)
                sum = sum * 31 + card(guest).hashCode();
            Load.kept = sum;
        });
    }
}
