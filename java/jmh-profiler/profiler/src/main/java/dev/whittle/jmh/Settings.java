package dev.whittle.jmh;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import org.openjdk.jmh.profile.ProfilerException;

/** The text after the colon in {@code -prof whittle:dir=results;engine=cpu}. Whittle itself checks the values. */
final class Settings {
    private static final String HELP = String.join("\n",
            "Options of whittle, as in -prof 'whittle:dir=results;engine=cpu':",
            "  dir=FOLDER       where experiments go, one per fork (default: whittle-jmh-DATE-TIME)",
            "  force=true       replace experiments that are there already",
            "  whittle=PATH     the program (default: whittle on the PATH)",
            "  engine=ENGINE    auto, kernel, cpu or ctimer (default: auto)",
            "  events=EVENT,…   what is sampled besides CPU time, as for whittle collect (default: all)",
            "  interval=TIME    CPU time between two samples (default: 10ms)",
            "  functions=N      functions shown for each fork in JMH's output (default: 5)",
            "  help             this list");
    /** The default folder, which is the same for all benchmarks of a run. */
    private static final String DEFAULT_FOLDER =
            "whittle-jmh-" + DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").format(LocalDateTime.now());
    private static final int DEFAULT_FUNCTION_COUNT = 5;

    Path folder = Paths.get(DEFAULT_FOLDER);
    boolean replaces;
    String program = "whittle";
    /** Number of functions in JMH's output for each fork. */
    int functionCount = DEFAULT_FUNCTION_COUNT;
    /** {@code --engine}, {@code --events} and {@code --interval} with the values that the user set. */
    private final List<String> passedOn = new ArrayList<>();

    /** Reads {@code key=value;key=value}. */
    static Settings parse(String text) throws ProfilerException {
        Settings settings = new Settings();
        for (String option : text.split(";")) {
            if (!option.isBlank()) {
                String[] parts = option.trim().split("=", 2);
                settings.set(parts[0], parts.length == 2 ? parts[1] : "");
            }
        }
        return settings;
    }

    private void set(String key, String value) throws ProfilerException {
        if (key.equals("help")) {
            throw new ProfilerException(HELP);
        }
        if (value.isEmpty()) {
            throw new ProfilerException("whittle: the option " + key + " needs a value: " + key + "=…\n" + HELP);
        }
        switch (key) {
            case "dir":
                folder = Paths.get(value);
                break;
            case "force":
                replaces = Boolean.parseBoolean(value);
                break;
            case "whittle":
                program = value;
                break;
            case "functions":
                functionCount = number(key, value);
                break;
            case "engine":
            case "events":
            case "interval":
                passedOn.addAll(List.of("--" + key, value));
                break;
            default:
                throw new ProfilerException("whittle: no option " + key + "\n" + HELP);
        }
    }

    private static int number(String key, String value) throws ProfilerException {
        try {
            return Integer.parseUnsignedInt(value);
        } catch (NumberFormatException e) {
            throw new ProfilerException("whittle: " + key + "=" + value + " is no number\n" + HELP);
        }
    }

    /** The options of {@code whittle collect}, without the experiment's name. */
    List<String> collectOptions() {
        List<String> options = new ArrayList<>(passedOn);
        if (replaces) {
            options.add("--force");
        }
        return options;
    }

    /** Whether the folder contains experiments, which the user may want to keep. */
    boolean hasExperiments() throws ProfilerException {
        if (!Files.isDirectory(folder)) {
            return false;
        }
        try (DirectoryStream<Path> experiments = Files.newDirectoryStream(folder, "*.whittle")) {
            return experiments.iterator().hasNext();
        } catch (IOException e) {
            throw new ProfilerException("whittle: cannot read the folder " + folder + ": " + e.getMessage());
        }
    }
}
