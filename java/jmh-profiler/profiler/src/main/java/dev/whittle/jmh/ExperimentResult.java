package dev.whittle.jmh;

import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.Aggregator;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ResultRole;
import org.openjdk.jmh.util.ListStatistics;

/** CPU time per operation in JMH's table, one value per fork. The experiments are listed below the benchmark's result. */
final class ExperimentResult extends Result<ExperimentResult> {
    private static final long serialVersionUID = 1;
    private static final String LABEL = "whittle.cpu";
    private static final String UNIT = "ns/op";

    /** The text about each experiment, by the experiment's path. Sorted, because JMH keeps results without order. */
    private final TreeMap<String, String> textByExperiment;

    ExperimentResult(double cpuNsPerOperation, String experiment, String text) {
        this(statistics(Collections.singleton(cpuNsPerOperation)), new TreeMap<>(Map.of(experiment, text)));
    }

    private ExperimentResult(ListStatistics statistics, TreeMap<String, String> textByExperiment) {
        super(ResultRole.SECONDARY, LABEL, statistics, UNIT, AggregationPolicy.AVG);
        this.textByExperiment = textByExperiment;
    }

    @Override
    protected Aggregator<ExperimentResult> getThreadAggregator() {
        return ExperimentResult::joined;
    }

    @Override
    protected Aggregator<ExperimentResult> getIterationAggregator() {
        return ExperimentResult::joined;
    }

    private static ExperimentResult joined(Collection<ExperimentResult> forks) {
        ListStatistics statistics = new ListStatistics();
        TreeMap<String, String> texts = new TreeMap<>();
        for (ExperimentResult fork : forks) {
            statistics.addValue(fork.getScore());
            texts.putAll(fork.textByExperiment);
        }
        return new ExperimentResult(statistics, texts);
    }

    private static ListStatistics statistics(Collection<Double> values) {
        ListStatistics statistics = new ListStatistics();
        values.forEach(statistics::addValue);
        return statistics;
    }

    @Override
    public String extendedInfo() {
        return simpleExtendedInfo() + "  CPU time of the whole JVM while JMH measured, per operation.\n\n"
                + String.join("\n", textByExperiment.values());
    }
}
