package dev.whittle.jmh;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.openjdk.jmh.results.BenchmarkResultMetaData;

/**
 * The values of one fork's experiment for the time that JMH measured, without warm-up. All values come from
 * {@code whittle functions} with a filter for that time. The experiment's manifest contains the start of the experiment.
 */
final class ForkReport {
    private static final Pattern START = Pattern.compile("\"start_wall_ns\": *(\\d+)");
    private static final Pattern ENGINE =
            Pattern.compile("\"engine\": *\"([^\"]*)\".*?\"reason\": *\"((?:[^\"\\\\]|\\\\.)*)\"", Pattern.DOTALL);
    private static final Pattern TOTAL =
            Pattern.compile("\"total\": *\\{[^}]*\"inclusive_cpu_ns\": *(\\d+)", Pattern.DOTALL);
    private static final Pattern ROW = Pattern.compile(
            "\"function\": *\"((?:[^\"\\\\]|\\\\.)*)\"[^}]*\"exclusive_cpu_ratio\": *([0-9.eE+-]+)", Pattern.DOTALL);
    /** Functions with a smaller share of the CPU time are left out. */
    private static final double LEAST_PERCENT = 0.5;
    /** JMH's own methods have parameter lists of 250 characters. */
    private static final int LONGEST_NAME = 100;

    private final Path experiment;
    private final Settings settings;
    private final long operations;
    private final String manifest;
    /** The value of {@code --filter}: from the start of the first measurement iteration to the end of the last one. */
    private final String filter;
    /** The output of {@code whittle functions --json} for this filter. */
    private final String functions;

    /**
     * Gets the values from whittle.
     *
     * @throws IOException there is no experiment, or whittle reports an error
     */
    ForkReport(Path experiment, BenchmarkResultMetaData measured, Settings settings) throws IOException {
        Path manifestFile = experiment.resolve("manifest.json");
        if (!Files.exists(manifestFile)) {
            throw new IOException("there is no experiment " + experiment);
        }
        if (measured == null) {
            throw new IOException("JMH does not say when it measured; the experiment is " + experiment);
        }
        this.experiment = experiment;
        this.settings = settings;
        operations = measured.getMeasurementOps();
        manifest = Files.readString(manifestFile);
        long startNs = Long.parseLong(find(START, manifest));
        // JMH's times are rounded down to whole milliseconds.
        filter = "time in " + seconds(measured.getMeasurementTime(), startNs) + ".."
                + seconds(measured.getStopTime() + 1, startNs);
        functions = Whittle.ask(settings, List.of("functions", experiment.toString(), "--filter", filter,
                "--metrics", "e.cpu,e.cpu%,i.cpu", "--limit", Integer.toString(Math.max(1, settings.functionCount)),
                "--json"));
    }

    /** The result for JMH's table, and the text below a benchmark's result. */
    ExperimentResult result() throws IOException {
        double cpuNs = Double.parseDouble(find(TOTAL, functions));
        double cpuNsPerOperation = operations == 0 ? Double.NaN : cpuNs / operations;
        return new ExperimentResult(cpuNsPerOperation, experiment.toString(), text());
    }

    private String text() {
        StringBuilder text = new StringBuilder();
        text.append(String.format(Locale.ROOT, "  %s%n", experiment));
        text.append(String.format(Locale.ROOT, "    %,d operations; %s%n", operations, engine()));
        if (settings.functionCount > 0) {
            addFunctions(text);
        }
        text.append(String.format(Locale.ROOT, "    %s functions %s --filter '%s'%n",
                quoted(settings.program), quoted(experiment.toString()), filter));
        return text.toString();
    }

    private void addFunctions(StringBuilder text) {
        Matcher row = ROW.matcher(functions);
        while (row.find()) {
            double percent = 100 * Double.parseDouble(row.group(2));
            if (percent >= LEAST_PERCENT) {
                String name = shortened(unescaped(row.group(1)));
                text.append(String.format(Locale.ROOT, "    %5.1f %%  %s%n", percent, name));
            }
        }
    }

    private String engine() {
        Matcher engine = ENGINE.matcher(manifest);
        return engine.find() ? "engine " + engine.group(1) + ": " + unescaped(engine.group(2)) : "no engine";
    }

    /** Converts a time of the wall clock to the form of whittle's filters: seconds since the experiment's start. */
    private static String seconds(long wallMs, long startNs) {
        long sinceStartNs = Math.max(0, TimeUnit.MILLISECONDS.toNanos(wallMs) - startNs);
        return String.format(Locale.ROOT, "%.3fs", sinceStartNs / 1e9);
    }

    private static String find(Pattern pattern, String text) throws IOException {
        Matcher matcher = pattern.matcher(text);
        if (!matcher.find()) {
            throw new IOException("no " + pattern + " in whittle's answer; is it of the profiler's version?");
        }
        return matcher.group(1);
    }

    private static String shortened(String function) {
        int parameters = function.indexOf('(');
        boolean isLong = function.length() > LONGEST_NAME && parameters > 0;
        return isLong ? function.substring(0, parameters) + "(…)" : function;
    }

    private static String unescaped(String json) {
        return json.replace("\\\"", "\"").replace("\\\\", "\\");
    }

    /** A word in the form that a shell accepts. */
    private static String quoted(String word) {
        return word.matches("[A-Za-z0-9_./%+=,:@-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
