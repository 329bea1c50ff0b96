package net.hooli.greetings;

import com.acme.load.Load;
import java.text.MessageFormat;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/** Greets visitors in their language. */
public final class Greetings {
    private final Map<String, String> patterns = new HashMap<>();
    private final Map<String, MessageFormat> formats = new HashMap<>();

    Greetings() {
        patterns.put("en", "Hello {0}, you have {1,number,integer} new {1,choice,0#messages|1#message|1<messages} in {2}.");
        patterns.put("de", "Hallo {0}, {1,number,integer} neue {1,choice,0#Nachrichten|1#Nachricht|1<Nachrichten} in {2}.");
    }

    Supplier<String> greeting(String language, String name, int messages) {
        return () -> MessageFormat.format(patterns.get(language), name, messages, "Inbox"); // [call] [edit]
        // [new] MessageFormat format = formats.computeIfAbsent(language, key -> new MessageFormat(patterns.get(key)));
        // [new] return () -> format.format(new Object[] {name, messages, "Inbox"});
    }

    static int page(Supplier<String> greeting) {
        int hash = 0;
        String text = greeting.get();
        for (int round = 0; round < 20; round++) for (int i = 0; i < text.length(); i++) hash = hash * 31 + text.charAt(i);
        return hash;
    }

    public static void main(String[] arguments) {
        Load.onThreads(2, "visitor", () -> {
            Greetings greetings = new Greetings();
            return () -> {
                int sum = 0;
                for (int visitor = 0; visitor < 200; visitor++)
                    sum += page(greetings.greeting(visitor % 3 == 0 ? "de" : "en", "Visitor " + visitor, visitor % 4));
                Load.kept = sum;
            };
        });
    }
}
