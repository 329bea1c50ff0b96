package whittle.agent;

import java.io.File;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Collections;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import whittle.agent.trial.Trial;

/** The entry of the agent. The JVM loads only this class with the system class loader, all others with the bootstrap loader. */
public final class Agent {
    private static final String[] ALL = {""};
    /** The folders of the classes that a trial needs. */
    private static final String[] TRIAL = {"whittle/agent/asm/", "whittle/agent/trial/", "java/whittle/trial/"};
    private static boolean isVisible;

    private Agent() {
    }

    /**
     * Options: `load:FILE`, `start:FILE`, `stop`, `try:FILE`, or `end-try:FILE`. FILE is a file that whittle locks while it lives. The
     * JVM would print an exception to the program's error output, so a failure is only in FILE.report. `load` only makes the classes
     * visible, so that the library can be attached before classes change. `try` makes the changes of the plan in FILE.plan.
     */
    public static void agentmain(String options, Instrumentation instrumentation) {
        String[] words = String.valueOf(options).split(":", 2);
        File lock = words.length == 2 ? new File(words[1]) : null;
        try {
            makeVisible(instrumentation, ALL);
            if (words[0].equals("start")) {
                Installation.start(instrumentation, lock);
            } else if (words[0].equals("stop")) {
                Installation.stop();
            } else if (words[0].equals("try")) {
                AttachedTrial.start(instrumentation, lock);
            } else if (words[0].equals("end-try")) {
                AttachedTrial.end(lock);
            }
        } catch (Throwable failure) {
            report(lock, failure);
        }
    }

    /**
     * Option: `try:PLAN`. Changes the places that the file PLAN lists. Both sides of a trial get the agent, and on both the same
     * classes are loaded, so that their cost cancels.
     */
    public static void premain(String options, Instrumentation instrumentation) {
        String[] words = String.valueOf(options).split(":", 2);
        if (words.length != 2 || !words[0].equals("try")) {
            throw new IllegalArgumentException("whittle's agent expects the option try:PLAN, but got: " + options);
        }
        try {
            makeVisible(instrumentation, TRIAL);
            Trial.start(new File(words[1]), instrumentation);
        } catch (Throwable failure) {
            // Without a report, the trial is void. The program runs unchanged.
            System.err.println("whittle's agent cannot read its plan, so nothing is tried: " + failure);
        }
    }

    private static void report(File lock, Throwable failure) {
        if (lock == null) {
            return;
        }
        String line = "failed\t-\t" + String.valueOf(failure).replaceAll("\\s+", " ") + "\n";
        try {
            Files.write(Paths.get(lock.getPath() + ".report"), line.getBytes(StandardCharsets.UTF_8));
        } catch (IOException noSpace) {
            // Whittle reports that the report is missing.
        }
    }

    private static synchronized void makeVisible(Instrumentation instrumentation, String... folders) throws IOException {
        if (isVisible) {
            return;
        }
        JarFile jar = new JarFile(file());
        instrumentation.appendToBootstrapClassLoaderSearch(jar);
        loadAll(jar, folders);
        isVisible = true;
    }

    /** The file of the agent: the resource of this class is jar:FILE!/NAME. */
    private static File file() throws IOException {
        String resource = ClassLoader.getSystemResource("whittle/agent/Agent.class").getPath();
        return new File(URI.create(resource.substring(0, resource.lastIndexOf('!'))));
    }

    /**
     * Loads and initialises the classes in these folders of the jar. A class that the transformer needs cannot be loaded while the
     * transformer runs for this very class.
     */
    private static void loadAll(JarFile jar, String... folders) {
        for (JarEntry entry : Collections.list(jar.entries())) {
            String name = entry.getName();
            if (name.endsWith(".class") && !name.equals("whittle/agent/Agent.class") && isIn(name, folders)) {
                load(name.substring(0, name.length() - ".class".length()).replace('/', '.'));
            }
        }
    }

    private static boolean isIn(String name, String... folders) {
        for (String folder : folders) {
            if (name.startsWith(folder)) {
                return true;
            }
        }
        return false;
    }

    private static void load(String name) {
        try {
            Class.forName(name, true, null);
        } catch (ClassNotFoundException impossible) {
            throw new NoClassDefFoundError(name);
        }
    }
}
