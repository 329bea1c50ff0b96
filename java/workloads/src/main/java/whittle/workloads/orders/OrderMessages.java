package whittle.workloads.orders;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Random;

/** Creates order messages: a head with a person, and lines with products and remarks. They are equal on all machines. */
final class OrderMessages {
    private static final String[] FIRST_NAMES = {"Maria", "Jonas", "Ines", "Piet", "Olga", "Sven", "Clara", "Tomas"};
    private static final String[] LAST_NAMES = {"Lindqvist", "Moreau", "Costa", "Bakker", "Novak", "Berg", "Rossi"};
    private static final String[] COUNTRIES = {"SE", "FR", "PT", "NL", "CZ", "DE", "IT", "AT"};
    private static final String[] REMARKS = {"leave at the door", "ring twice", "gift wrap, no invoice in the box",
            "deliver with the other parcel", "call before delivery", "colour as in the picture, please", "-"};

    private OrderMessages() {}

    static byte[][] make(int count, int lineCount) {
        byte[][] messages = new byte[count][];
        for (int i = 0; i < count; i++) {
            messages[i] = message(1_000_000 + i, lineCount, new Random(i)).getBytes(StandardCharsets.ISO_8859_1);
        }
        return messages;
    }

    private static String message(long number, int lineCount, Random random) {
        String first = pick(FIRST_NAMES, random);
        String last = pick(LAST_NAMES, random);
        StringBuilder text = new StringBuilder();
        text.append("order=").append(number).append('\n');
        text.append("country=").append(pick(COUNTRIES, random)).append('\n');
        text.append("customer=").append(first).append(' ').append(last).append('\n');
        text.append("mail=").append((first + '.' + last).toLowerCase(Locale.ROOT)).append("@mail.example\n");
        text.append("phone=+").append(30 + random.nextInt(19)).append(" 555 ").append(1000 + random.nextInt(9000))
                .append('\n');
        text.append("lines=").append(lineCount).append('\n');
        for (int i = 0; i < lineCount; i++) {
            appendLine(text, random);
        }
        return text.toString();
    }

    /** Appends {@code product;quantity;price in cents;weight in grams;remark}. */
    private static void appendLine(StringBuilder text, Random random) {
        text.append(10_000 + random.nextInt(5_000)).append(';').append(1 + random.nextInt(24)).append(';')
                .append(99 + random.nextInt(40_000)).append(';').append(20 + random.nextInt(9_000)).append(';')
                .append(pick(REMARKS, random)).append('\n');
    }

    private static String pick(String[] words, Random random) {
        return words[random.nextInt(words.length)];
    }
}
