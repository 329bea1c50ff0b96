package dev.whittle.jmh;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.openjdk.jmh.profile.ProfilerException;

/** Runs the program whittle. */
final class Whittle {
    /** Settings that work in this JVM. They are stored here because JMH creates a new profiler for each benchmark. */
    private static final Set<List<String>> CHECKED = new HashSet<>();

    private Whittle() {}

    /**
     * Checks before the first fork whether whittle can collect with these settings. It collects {@code java --version}
     * into a folder that is then removed. So whittle itself reports what is wrong with an engine or an event.
     *
     * @throws ProfilerException what is wrong and what to do
     */
    static synchronized void check(Settings settings) throws ProfilerException {
        List<String> key = new ArrayList<>(settings.collectOptions());
        key.addAll(List.of(settings.program, settings.folder.toString()));
        if (CHECKED.contains(key)) {
            return;
        }
        if (!settings.replaces && settings.hasExperiments()) {
            throw new ProfilerException("whittle: " + settings.folder
                    + " already holds experiments; name another folder (dir=…) or add force=true to replace them");
        }
        collectSomething(settings);
        CHECKED.add(key);
    }

    private static void collectSomething(Settings settings) throws ProfilerException {
        Path folder = null;
        try {
            folder = Files.createTempDirectory("whittle-jmh-");
            List<String> command = new ArrayList<>(List.of(settings.program, "collect", "--quiet"));
            command.addAll(settings.collectOptions());
            command.addAll(List.of("-o", folder.resolve("check.whittle").toString(), "--"));
            command.addAll(List.of(Paths.get(System.getProperty("java.home"), "bin", "java").toString(), "--version"));
            // The JVM prints to standard output, whittle to standard error.
            Process process = new ProcessBuilder(command).redirectOutput(Redirect.DISCARD).start();
            String said = finish(process, process.getErrorStream()).strip();
            if (process.exitValue() != 0) {
                throw new ProfilerException(said.startsWith("whittle:") ? said : "whittle: " + said);
            }
        } catch (IOException e) {
            throw new ProfilerException("whittle: cannot run the program " + settings.program + " (" + e.getMessage()
                    + "); put whittle on the PATH, or name it: -prof whittle:whittle=/path/to/whittle");
        } finally {
            remove(folder);
        }
    }

    private static void remove(Path folder) {
        if (folder == null) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
        } catch (IOException e) {
            // The system removes old temporary folders.
        }
    }

    /**
     * Runs {@code whittle} with arguments. Its errors go to the standard error of this process.
     *
     * @return its standard output
     * @throws IOException whittle cannot be run, or its exit status is not 0
     */
    static String ask(Settings settings, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(settings.program));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command).redirectError(Redirect.INHERIT).start();
        String answer = finish(process, process.getInputStream());
        if (process.exitValue() != 0) {
            throw new IOException("exit status " + process.exitValue() + " of " + String.join(" ", command));
        }
        return answer;
    }

    /** Waits for the end of the program. Returns the text that the program wrote to one of its outputs. */
    private static String finish(Process process, InputStream output) throws IOException {
        process.getOutputStream().close();
        String text = new String(output.readAllBytes(), StandardCharsets.UTF_8);
        try {
            process.waitFor();
            return text;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
