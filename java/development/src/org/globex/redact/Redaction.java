package org.globex.redact;

import com.acme.load.Load;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A support desk. It indexes tickets, and archives a copy without card numbers. */
public final class Redaction {
    /** Removes numbers of cards and accounts from a text. */
    static final class Filter {
        private static final List<Pattern> SECRETS = List.of(
                Pattern.compile("(?:[0-9]{4}[ -]?){3}[0-9]{4}"),
                Pattern.compile("[A-Z]{2}[0-9]{2}(?: ?[0-9A-Z]{4})+"),
                Pattern.compile("[a-z]+(?:[._][a-z]+)*@[a-z]+[.][a-z]{2,}"));

        String clean(String text) {
            // [new] if (text.indexOf('@') < 0 && text.chars().noneMatch(c -> c >= '0' && c <= '9')) return text;
            String cleaned = text;
            for (Pattern secret : SECRETS) cleaned = without(secret, cleaned); // [or]
            return cleaned;
        }

        private static String without(Pattern secret, String text) {
            Matcher matcher = secret.matcher(text); // [or]
            StringBuilder cleaned = new StringBuilder();
            int end = 0;
            while (matcher.find()) { // [call] [or]
                cleaned.append(text, end, matcher.start()).append("[removed]");
                end = matcher.end();
            }
            return cleaned.append(text, end, text.length()).toString();
        }
    }

    static String ticket(Random random) {
        String[] words = {"printer", "again", "Dear", "Sirs", "paper", "jam", "invoice", "login", "GMBH", "please"};
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 3000; i++) text.append(words[random.nextInt(words.length)]).append(i % 12 == 11 ? ".\n" : " ");
        return text.toString();
    }

    static int index(String text) {
        int hash = 0;
        for (int round = 0; round < 6; round++)
            for (int i = 0; i < text.length(); i++) hash = hash * 31 + (text.charAt(i) | round);
        return hash;
    }

    public static void main(String[] arguments) throws InterruptedException {
        Random random = new Random(11);
        BlockingQueue<String> desk = new ArrayBlockingQueue<>(8);
        for (int i = 0; i < 8; i++) desk.put(ticket(random));
        Filter archive = new Filter();
        Load.onThreads(2, "support", () -> () -> {
            String ticket = desk.take();
            Load.kept = index(ticket) + archive.clean(ticket).length();
            desk.put(ticket);
        });
    }
}
