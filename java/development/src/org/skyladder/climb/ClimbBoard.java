package org.skyladder.climb;

import com.acme.load.Load;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The result board of a climbing competition: scores attempts, ranks the climbers and prints lines for the hall. */
public final class ClimbBoard {
    record Attempt(int bib, int route, int holds, boolean top, double seconds) {}

    record Score(int bib, int tops, int zones, double seconds, double points) {}

    private final List<Attempt> attempts;

    private ClimbBoard(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        attempts = IntStream.range(0, 1200)
                .mapToObj(i -> {
                    int holds = random.nextInt(1, 40);
                    return new Attempt(i % 96, i % 5, holds, holds > 34, 40 + random.nextInt(200_000) / 1000.0);
                })
                .toList();
    }

    private List<Score> ranking() {
        Map<Integer, List<Attempt>> byBib = attempts.stream().collect(Collectors.groupingBy(Attempt::bib));
        return byBib.entrySet().stream()
                .map(entry -> score(entry.getKey(), entry.getValue()))
                .sorted(Comparator.comparingDouble(Score::points).reversed().thenComparingDouble(Score::seconds))
                .toList();
    }

    private static Score score(int bib, List<Attempt> own) {
        int tops = (int) own.stream().filter(Attempt::top).map(Attempt::route).distinct().count();
        int zones = (int) own.stream().filter(a -> a.holds() > 17).map(Attempt::route).distinct().count();
        double seconds = own.stream().mapToDouble(Attempt::seconds).sum();
        Map<Integer, Integer> best = own.stream()
                .collect(Collectors.toMap(Attempt::route, Attempt::holds, Math::max, TreeMap::new));
        double points = best.values().stream().mapToDouble(h -> Math.sqrt(h) * 25).sum() + tops * 100 + zones * 25;
        return new Score(bib, tops, zones, seconds, points);
    }

    /** The chance of each climber to reach the final, from many drawn second rounds. */
    private static double[] chances(List<Score> ranking, int draws) {
        SplittableRandom random = new SplittableRandom(ranking.size());
        double[] chance = new double[ranking.size()];
        double[] total = new double[ranking.size()];
        for (int draw = 0; draw < draws; draw++) {
            double limit = 0;
            for (int i = 0; i < total.length; i++) {
                total[i] = ranking.get(i).points() + 180 * (random.nextDouble() + random.nextDouble() - 1);
                limit += total[i];
            }
            limit = limit / total.length * 1.15;
            for (int i = 0; i < total.length; i++) if (total[i] > limit) chance[i] += 1.0 / draws;
        }
        return chance;
    }

    private static String line(int place, Score score, double chance) {
        String result = String.format("%dT%dZ", score.tops(), score.zones()); // [call] [edit]
        // [new] String result = score.tops() + "T" + score.zones() + "Z";
        return place + ". " + score.bib() + ' ' + result + ' ' + Math.round(chance * 100) + '%';
    }

    private String board() {
        List<Score> ranking = ranking();
        double[] chances = chances(ranking, 240);
        return IntStream.range(0, ranking.size())
                .mapToObj(i -> line(i + 1, ranking.get(i), chances[i]))
                .collect(Collectors.joining("\n"));
    }

    public static void main(String[] args) {
        Load.onThreads(2, "board", () -> {
            ClimbBoard hall = new ClimbBoard(2024);
            return () -> Load.kept = hall.board();
        });
    }
}
