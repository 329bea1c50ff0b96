package dev.whittle.jmh;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.ExternalProfiler;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.profile.ProfilerException;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.runner.IterationType;

/**
 * The profiler that JMH calls. For each benchmark, JMH creates one object in its own JVM and uses the external part. In
 * each fork, JMH creates another object and uses the internal part, which counts operations.
 */
public abstract class WhittleProfiler implements ExternalProfiler, InternalProfiler {
    /** Set in each fork: the name of its experiment. Empty in a warm-up fork, which has no experiment. */
    private static final String FORK_PROPERTY = "whittle.jmh.experiment";

    private final Settings settings;
    private final Operations operations = new Operations();
    /** Forks started so far, warm-up forks included. */
    private int forkCount;
    /** Experiment of the fork that was started last; null for a warm-up fork. */
    private Path experiment;
    private boolean isLackOfForkTold;

    protected WhittleProfiler() {
        settings = new Settings();
    }

    protected WhittleProfiler(String options) throws ProfilerException {
        settings = Settings.parse(options);
        if (System.getProperty(FORK_PROPERTY) == null) {
            Whittle.check(settings);
        }
    }

    @Override
    public String getDescription() {
        return "One experiment of the profiler whittle per fork, and CPU time per operation";
    }

    @Override
    public Collection<String> addJVMInvokeOptions(BenchmarkParams params) {
        forkCount++;
        int measured = forkCount - params.getWarmupForks();
        if (measured <= 0) {
            experiment = null;
            return Collections.emptyList();
        }
        experiment = settings.folder.resolve(ExperimentName.of(params.id(), measured));
        List<String> command = new ArrayList<>(List.of(settings.program, "collect", "--quiet"));
        command.addAll(settings.collectOptions());
        command.addAll(List.of("--metric", Operations.PATTERN));
        command.addAll(List.of("--comment", "JMH: " + params.id() + ", fork " + measured + " of " + params.getForks()));
        command.addAll(List.of("-o", experiment.toString(), "--"));
        return command;
    }

    @Override
    public Collection<String> addJVMOptions(BenchmarkParams params) {
        return List.of("-D" + FORK_PROPERTY + "=" + (experiment == null ? "" : experiment.getFileName()));
    }

    @Override
    public void beforeTrial(BenchmarkParams params) {
        try {
            Files.createDirectories(settings.folder);
        } catch (IOException e) {
            throw new UncheckedIOException("whittle: cannot make the folder for experiments, " + settings.folder, e);
        }
    }

    @Override
    public Collection<? extends Result<?>> afterTrial(BenchmarkResult result, long pid, File stdOut, File stdErr) {
        if (experiment == null) {
            return Collections.emptyList();
        }
        try {
            return List.of(new ForkReport(experiment, result.getMetadata(), settings).result());
        } catch (IOException e) {
            // The benchmark's own result is still good.
            System.out.println("whittle: error: " + e.getMessage());
            return Collections.emptyList();
        }
    }

    @Override
    public boolean allowPrintOut() {
        return true;
    }

    @Override
    public boolean allowPrintErr() {
        return true;
    }

    @Override
    public void beforeIteration(BenchmarkParams params, IterationParams iteration) {
        if (System.getProperty(FORK_PROPERTY) == null && !isLackOfForkTold) {
            isLackOfForkTold = true;
            System.out.println("whittle: no experiment without a fork; use -f 1 or more");
        }
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            BenchmarkParams params, IterationParams iteration, IterationResult result) {
        boolean isCollected = !System.getProperty(FORK_PROPERTY, "").isEmpty();
        if (isCollected && iteration.getType() == IterationType.MEASUREMENT) {
            operations.add(result.getMetadata().getAllOps());
        }
        return Collections.emptyList();
    }
}
