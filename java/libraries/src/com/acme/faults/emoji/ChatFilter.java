package com.acme.faults.emoji;

import com.acme.load.Load;
import com.vdurmont.emoji.EmojiParser;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.TreeMap;

/** A chat server: shows messages with their emoji aliases as emoji, and counts their words. */
public final class ChatFilter {
    private static final String[] WORDS = ("hello thanks see you tomorrow lunch meeting great work sorry late train "
            + ":smile: :+1: :heart: :tada: release build broken fixed again coffee").split(" ");

    private ChatFilter() {}

    public static void main(String[] args) {
        Random random = new Random(2);
        List<String> messages = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            StringBuilder message = new StringBuilder();
            for (int words = 5 + random.nextInt(20); words > 0; words--) {
                message.append(WORDS[random.nextInt(WORDS.length)]).append(' ');
            }
            messages.add(message.toString());
        }
        Load.onThreads(2, "archive", () -> () -> {
            TreeMap<String, Integer> counts = new TreeMap<>();
            for (String message : messages) {
                for (String word : store(message).split(" ")) {
                    counts.merge(word.toLowerCase(Locale.ROOT), 1, Integer::sum);
                }
            }
            Load.kept = counts;
        });
    }

    private static String store(String message) {
        return EmojiParser.parseToUnicode(message).strip();
    }
}
