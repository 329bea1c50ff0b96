package whittle.tests;

import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.AgentLoadException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The finished agent in the JVM of the tests. */
final class Attached implements AutoCloseable {
    static final String JAR = System.getProperty("whittle.agent");

    final Path lock;
    private final VirtualMachine jvm;
    private final Holder whittle;

    Attached() throws Exception {
        lock = Files.createTempFile("whittle-agent", ".lock");
        jvm = VirtualMachine.attach(Long.toString(ProcessHandle.current().pid()));
        whittle = new Holder(lock);
        start();
    }

    /** The library for this machine. Without a recorder, its marks are system calls that nobody reads. */
    private static String hook() {
        String architecture = System.getProperty("os.arch").replace("amd64", "x86_64");
        return Path.of(System.getProperty("whittle.hooks"), "whittle-hook." + architecture + ".so").toAbsolutePath().toString();
    }

    /** Ends the process that has the lock. */
    void kill() {
        whittle.close();
    }

    void start() throws IOException {
        load("load:" + lock);
        try {
            jvm.loadAgentPath(hook());
        } catch (AgentLoadException | AgentInitializationException failure) {
            throw new IOException(failure);
        }
        load("start:" + lock);
    }

    void stop() throws IOException {
        load("stop");
    }

    private void load(String options) throws IOException {
        try {
            jvm.loadAgent(JAR, options);
        } catch (AgentLoadException | AgentInitializationException failure) {
            throw new IOException(failure);
        }
    }

    /** The lines of the report. */
    List<String> report() throws IOException {
        return Files.readAllLines(Path.of(lock + ".report"));
    }

    /** Waits until the report has this line. */
    void awaitLine(String line) throws Exception {
        for (int attempt = 0; attempt < 100 && !report().contains(line); attempt++) {
            Thread.sleep(50);
        }
        if (!report().contains(line)) {
            throw new AssertionError("missing: " + line + " in " + report());
        }
    }

    @Override
    public void close() throws IOException {
        stop();
        jvm.detach();
        whittle.close();
        Files.deleteIfExists(Path.of(lock + ".report"));
        Files.deleteIfExists(lock);
    }
}
