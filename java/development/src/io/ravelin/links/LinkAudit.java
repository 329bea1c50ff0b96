package io.ravelin.links;

import com.acme.load.Load;
import java.net.URI;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Reads the log of a web shop and counts the hosts that visitors come from. */
public final class LinkAudit {
    record Visit(String page, String from, int bytes) {}

    record Score(String host, int visits, long bytes) {}

    static Visit visit(String line) {
        int one = line.indexOf(' '), two = line.indexOf(' ', one + 1);
        return new Visit(line.substring(0, one), line.substring(one + 1, two), Integer.parseInt(line.substring(two + 1)));
    }

    static String host(String address) {
        return URI.create(address).getHost(); // [call] [edit]
        // [new] return address.substring(8, address.indexOf('/', 8));
    }

    static List<Score> scores(List<String> log) {
        Map<String, List<Visit>> byHost = new HashMap<>();
        for (String line : log) {
            Visit visit = visit(line);
            byHost.computeIfAbsent(host(visit.from()), host -> new ArrayList<>()).add(visit);
        }
        return byHost.entrySet().stream()
                .map(entry -> new Score(entry.getKey(), entry.getValue().size(), entry.getValue().stream().mapToLong(Visit::bytes).sum()))
                .sorted(Comparator.comparingLong(Score::bytes).reversed().thenComparing(Score::host)).toList();
    }

    static String report(List<Score> scores) {
        return scores.stream().map(score -> score.host() + "\t" + score.visits() + "\t" + score.bytes() / 1024 + "k")
                .collect(Collectors.joining("\n"));
    }

    static Map<Integer, Integer> hotPages(List<String> log) {
        Map<Integer, Integer> pages = new HashMap<>();
        for (String line : log) {
            int hash = 0;
            for (int i = 0; i < line.length() && line.charAt(i) != ' '; i++) hash = hash * 131 + line.charAt(i);
            pages.merge(hash & 127, 1, Integer::sum);
        }
        return pages;
    }

    static List<String> log(int count) {
        List<String> log = new ArrayList<>();
        for (int i = 0; i < count; i++)
            log.add("/shop/item" + i % 300 + " https://www.site" + i % 45 + ".example/offers/list?kind=" + i % 9
                    + "&from=mail%20" + i + "#part" + i % 4 + " " + (500 + i * 37 % 9000));
        return log;
    }

    public static void main(String[] arguments) {
        List<String> log = log(1500);
        Load.onThreads(3, "audit", () -> () -> Load.kept = report(scores(log)) + hotPages(log).size());
    }
}
