package whittle.agent.trial;

import java.util.HashMap;
import java.util.Map;

/** All remedies, by the names that a plan uses. */
final class Remedies {
    private static final Map<String, Remedy> BY_NAME = new HashMap<>();
    static final String NO_STACK = "no-stack";
    static final String KEEP_MAPPING = "keep-mapping";
    private static final String TEXT = "Ljava/lang/String;";

    static {
        BY_NAME.put("buffer-output", Buffering.OUTPUT);
        BY_NAME.put("buffer-compression", Buffering.COMPRESSION);
        BY_NAME.put("buffer-input", Buffering.INPUT);
        BY_NAME.put("buffer-writer", Buffering.WRITER);
        BY_NAME.put("buffer-reader", Buffering.READER);
        BY_NAME.put("compile-once", patterns());
        BY_NAME.put("look-up-once", new LookingUp(new EitherRemedy(formats(), lookUps())));
        BY_NAME.put("presize", new Presize());
        BY_NAME.put("array-list", new ArrayListInstead());
        BY_NAME.put("unsynchronized", new Unsynchronized());
        BY_NAME.put("one-thread", new Creating().with("java/util/Stack()V", "UnlockedStack.stack")
            .with("java/util/Vector()V", "UnlockedStack.vector").with("java/util/Vector(I)V", "UnlockedStack.vector"));
        BY_NAME.put("no-autoflush", new NoAutoFlush());
        BY_NAME.put(NO_STACK, new NoStack());
        BY_NAME.put("fastest-level", new FastestLevel());
        BY_NAME.put("no-gc", new Calling().with("java/lang/System.gc()V", "Calls.skipGc")
            .withReceiver("java/lang/Runtime.gc()V", "java/lang/Runtime", "Calls.skipGc"));
        BY_NAME.put("rarer-flush", flushes());
        BY_NAME.put("rarer-force", forces());
        BY_NAME.put("sleep-in-spin", new Calling().with("java/lang/Thread.onSpinWait()V", "Calls.sleep")
            .with("java/lang/Thread.yield()V", "Calls.sleep")
            .with("java/util/concurrent/locks/LockSupport.parkNanos(J)V", "Calls.park"));
        BY_NAME.put("reuse", new Reusing());
        BY_NAME.put("cache-boxes", new Boxing());
        BY_NAME.put("mix-hash", new MixHash());
        BY_NAME.put("fewer-frames", new FewerFrames());
        BY_NAME.put("first-walk", new Calling().withReceiver("java/lang/StackWalker.walk(Ljava/util/function/Function;)Ljava/lang/Object;",
            "java/lang/Object", "Walks.walk"));
        BY_NAME.put("proc-copy", new Snapshot());
        BY_NAME.put(KEEP_MAPPING, mappings());
        BY_NAME.put("fixed-part-first", new Guarding());
        BY_NAME.put("one-builder", new Appending());
        BY_NAME.put("buffer-socket", new Calling()
            .withReceiver("java/net/Socket.getOutputStream()Ljava/io/OutputStream;", "java/net/Socket", "SocketOutput.of")
            .withReceiver("javax/net/ssl/SSLSocket.getOutputStream()Ljava/io/OutputStream;", "java/net/Socket", "SocketOutput.of"));
        BY_NAME.put("member-once", SharedObjects.members());
        BY_NAME.put("address-once", SharedObjects.addresses());
        BY_NAME.put("result-once", SharedObjects.results());
        BY_NAME.put("one-for-all", SharedObjects.forAll());
        BY_NAME.put("one-per-thread", SharedObjects.perThread());
        BY_NAME.put("index-list", searches());
        BY_NAME.put("plain-format", formattings());
        BY_NAME.put("text-if-logged", new TextIfLogged());
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

    /** Whether the remedy reads private fields of the JDK. False: the agent does not know the remedy. */
    static boolean readsFields(String name) {
        Remedy remedy = BY_NAME.get(name);
        return remedy != null && remedy.readsFields();
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
        String symbols = "java/text/DecimalFormatSymbols";
        Calling calls = new Calling()
            .with(date + ".ofPattern(" + TEXT + ")L" + date + ";", "Formats.ofPattern")
            .with(date + ".ofPattern(" + TEXT + locale + ")L" + date + ";", "Formats.ofPattern")
            .with(symbols + ".getInstance()L" + symbols + ";", "Formats.symbols")
            .with(symbols + ".getInstance(" + locale + ")L" + symbols + ";", "Formats.symbols")
            .with(number + ".getPercentInstance()L" + number + ";", "Formats.percents")
            .with("java/security/MessageDigest.getInstance(" + TEXT + ")Ljava/security/MessageDigest;", "LookUps.digest")
            .with("javax/xml/parsers/DocumentBuilderFactory.newInstance()Ljavax/xml/parsers/DocumentBuilderFactory;",
                "XmlFactories.documents")
            .with("javax/xml/parsers/SAXParserFactory.newInstance()Ljavax/xml/parsers/SAXParserFactory;", "XmlFactories.parsers")
            .with("javax/xml/transform/TransformerFactory.newInstance()Ljavax/xml/transform/TransformerFactory;",
                "XmlFactories.transformers")
            .with("javax/xml/xpath/XPathFactory.newInstance()Ljavax/xml/xpath/XPathFactory;", "XmlFactories.paths")
            .with("java/text/MessageFormat.format(" + TEXT + "[Ljava/lang/Object;)" + TEXT, "Formats.message");
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
            .with("java/text/DecimalFormat(" + TEXT + ")V", "Formats.decimals")
            .with("java/text/DecimalFormat(" + TEXT + "Ljava/text/DecimalFormatSymbols;)V", "Formats.decimals");
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

    private static Remedy mappings() {
        String channel = "java/nio/channels/FileChannel";
        return new Calling().withReceiver(channel + ".map(L" + channel + "$MapMode;JJ)Ljava/nio/MappedByteBuffer;", channel, "Mappings.map");
    }

    private static Remedy searches() {
        Calling calls = new Calling();
        for (String type : new String[] {"Collection", "List", "ArrayList", "AbstractCollection", "AbstractList"}) {
            String contains = "java/util/" + type + ".contains(Ljava/lang/Object;)Z";
            calls.withReceiver(contains, "java/util/Collection", "Searches.contains");
        }
        for (String type : new String[] {"List", "ArrayList", "AbstractList"}) {
            String indexOf = "java/util/" + type + ".indexOf(Ljava/lang/Object;)I";
            calls.withReceiver(indexOf, "java/util/List", "Searches.indexOf");
        }
        return calls;
    }

    private static Remedy formattings() {
        String text = "java/lang/String";
        String rest = "[Ljava/lang/Object;)" + TEXT;
        return new Calling()
            .with(text + ".format(" + TEXT + rest, "PlainFormats.format")
            .with(text + ".format(Ljava/util/Locale;" + TEXT + rest, "PlainFormats.format")
            .withReceiver(text + ".formatted(" + rest, text, "PlainFormats.format");
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
