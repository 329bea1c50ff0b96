package whittle.agent.trial;

import java.util.HashMap;
import java.util.Map;

/** All remedies, by the names that a plan uses. */
final class Remedies {
    private static final Map<String, Remedy> BY_NAME = new HashMap<>();
    static final String NO_STACK = "no-stack";
    private static final String TEXT = "Ljava/lang/String;";

    static {
        BY_NAME.put("buffer-output", Buffering.OUTPUT);
        BY_NAME.put("buffer-input", Buffering.INPUT);
        BY_NAME.put("buffer-writer", Buffering.WRITER);
        BY_NAME.put("buffer-reader", Buffering.READER);
        BY_NAME.put("compile-once", patterns());
        BY_NAME.put("look-up-once", new EitherRemedy(formats(), lookUps()));
        BY_NAME.put("presize", new Presize());
        BY_NAME.put("array-list", new ArrayListInstead());
        BY_NAME.put("unsynchronized", new Unsynchronized());
        BY_NAME.put(NO_STACK, new NoStack());
        BY_NAME.put("lower-level", new LowerLevel());
        BY_NAME.put("no-gc", new Calling().with("java/lang/System.gc()V", "Calls.skipGc")
            .withReceiver("java/lang/Runtime.gc()V", "java/lang/Runtime", "Calls.skipGc"));
        BY_NAME.put("rarer-flush", flushes());
        BY_NAME.put("rarer-force", forces());
        BY_NAME.put("sleep-in-spin", new Calling().with("java/lang/Thread.onSpinWait()V", "Calls.sleep")
            .with("java/lang/Thread.yield()V", "Calls.sleep"));
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

    private static Remedy lookUps() {
        String locale = "Ljava/util/Locale;";
        String date = "java/time/format/DateTimeFormatter";
        String number = "java/text/NumberFormat";
        Calling calls = new Calling()
            .with(date + ".ofPattern(" + TEXT + ")L" + date + ";", "Formats.ofPattern")
            .with(date + ".ofPattern(" + TEXT + locale + ")L" + date + ";", "Formats.ofPattern")
            .with(number + ".getPercentInstance()L" + number + ";", "Formats.percents")
            .with("java/security/MessageDigest.getInstance(" + TEXT + ")Ljava/security/MessageDigest;", "LookUps.digest")
            .with("javax/xml/parsers/DocumentBuilderFactory.newInstance()Ljavax/xml/parsers/DocumentBuilderFactory;",
                "XmlFactories.documents")
            .with("javax/xml/parsers/SAXParserFactory.newInstance()Ljavax/xml/parsers/SAXParserFactory;", "XmlFactories.parsers")
            .with("javax/xml/transform/TransformerFactory.newInstance()Ljavax/xml/transform/TransformerFactory;",
                "XmlFactories.transformers");
        for (String parameters : new String[] {"", locale}) {
            calls.with(number + ".getInstance(" + parameters + ")L" + number + ";", "Formats.numbers")
                .with(number + ".getNumberInstance(" + parameters + ")L" + number + ";", "Formats.numbers")
                .with(number + ".getCurrencyInstance(" + parameters + ")L" + number + ";", "Formats.currencies");
        }
        return calls;
    }

    private static Remedy formats() {
        return new Creating()
            .with("java/text/SimpleDateFormat()V", "Formats.dates")
            .with("java/text/SimpleDateFormat(" + TEXT + ")V", "Formats.dates")
            .with("java/text/SimpleDateFormat(" + TEXT + "Ljava/util/Locale;)V", "Formats.dates")
            .with("java/text/DecimalFormat()V", "Formats.decimals")
            .with("java/text/DecimalFormat(" + TEXT + ")V", "Formats.decimals");
    }

    /** All these classes implement Flushable. */
    private static Remedy flushes() {
        Calling calls = new Calling();
        for (String type : new String[] {"OutputStream", "FilterOutputStream", "BufferedOutputStream", "FileOutputStream",
            "DataOutputStream", "ObjectOutputStream", "PrintStream", "Writer", "BufferedWriter", "OutputStreamWriter", "FileWriter",
            "PrintWriter"}) {
            calls.withReceiver("java/io/" + type + ".flush()V", "java/io/Flushable", "Calls.flush");
        }
        for (String type : new String[] {"DeflaterOutputStream", "GZIPOutputStream", "ZipOutputStream"}) {
            calls.withReceiver("java/util/zip/" + type + ".flush()V", "java/io/Flushable", "Calls.flush");
        }
        return calls;
    }

    private static Remedy forces() {
        String channel = "java/nio/channels/FileChannel";
        String buffer = "java/nio/MappedByteBuffer";
        return new Calling()
            .withReceiver(channel + ".force(Z)V", channel, "Calls.force")
            .withReceiver(buffer + ".force()L" + buffer + ";", buffer, "Calls.force")
            .withReceiver("java/io/FileDescriptor.sync()V", "java/io/FileDescriptor", "Calls.sync");
    }
}
