package whittle.agent.trial;

import java.util.HashMap;
import java.util.Map;

/** All remedies, by the names that a plan uses. */
final class Remedies {
    private static final Map<String, Remedy> BY_NAME = new HashMap<>();
    private static final String TEXT = "Ljava/lang/String;";

    static {
        BY_NAME.put("buffer-output", Buffering.OUTPUT);
        BY_NAME.put("buffer-input", Buffering.INPUT);
        BY_NAME.put("buffer-writer", Buffering.WRITER);
        BY_NAME.put("buffer-reader", Buffering.READER);
        BY_NAME.put("compile-once", patterns());
    }

    private Remedies() {
    }

    static Remedy of(String name) throws Refused {
        Remedy remedy = BY_NAME.get(name);
        if (remedy == null) {
            throw new Refused("whittle's agent does not know the remedy " + name);
        }
        return remedy;
    }

    private static Remedy patterns() {
        String pattern = "java/util/regex/Pattern";
        String text = "java/lang/String";
        return new Calling()
            .with(pattern + ".compile(" + TEXT + ")L" + pattern + ";", "Patterns.compile")
            .with(pattern + ".compile(" + TEXT + "I)L" + pattern + ";", "Patterns.compile")
            .with(pattern + ".matches(" + TEXT + "Ljava/lang/CharSequence;)Z", "Patterns.matches")
            .withReceiver(text + ".matches(" + TEXT + ")Z", text, "Patterns.isMatch")
            .withReceiver(text + ".replaceAll(" + TEXT + TEXT + ")" + TEXT, text, "Patterns.replaceAll")
            .withReceiver(text + ".replaceFirst(" + TEXT + TEXT + ")" + TEXT, text, "Patterns.replaceFirst")
            .withReceiver(text + ".split(" + TEXT + ")[" + TEXT, text, "Patterns.split")
            .withReceiver(text + ".split(" + TEXT + "I)[" + TEXT, text, "Patterns.split");
    }
}
