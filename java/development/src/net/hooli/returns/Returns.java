package net.hooli.returns;

import com.acme.load.Load;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/** Daily returns of a portfolio: their mean, and the number of losses. */
public final class Returns {
    /** The values of one share, one value per day. */
    static final class Series {
        private final double[] closing;

        Series(long seed) {
            closing = new Random(seed).doubles(20_000, 10, 90).toArray();
        }

        Collection<Double> changes() {
            List<Double> changes = new ArrayList<>(closing.length);
            for (int day = 1; day < closing.length; day++) changes.add(closing[day] / closing[day - 1] - 1); // [call] [edit]
            return changes;
        }

        // [new] double[] plainChanges() {
        // [new]     double[] changes = new double[closing.length - 1];
        // [new]     for (int day = 1; day < closing.length; day++) changes[day - 1] = closing[day] / closing[day - 1] - 1;
        // [new]     return changes;
        // [new] }
    }

    static double meanChange(Series series) {
        Collection<Double> changes = series.changes().stream().map(change -> change * 100).collect(Collectors.toList()); // [call] [edit]
        return changes.stream().reduce(0.0, Double::sum) / changes.size(); // [call] [edit]
        // [new] double sum = 0;
        // [new] for (double change : series.plainChanges()) sum += change * 100;
        // [new] return sum / (series.closing.length - 1);
    }

    static int losses(Series series) {
        int days = 0;
        for (int day = 1; day < series.closing.length; day++) if (series.closing[day] < series.closing[day - 1]) days++;
        return days;
    }

    public static void main(String[] arguments) {
        Series[] portfolio = new Series[12];
        for (int i = 0; i < portfolio.length; i++) portfolio[i] = new Series(i);
        Load.onThreads(2, "analyst", () -> () -> {
            double sum = 0;
            for (Series series : portfolio) sum += meanChange(series) + losses(series);
            Load.kept = sum;
        });
    }
}
