package org.globex.routes;

import com.acme.load.Load;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;

/** Reads a table of routes, "prefix | cost ; tag ; tag", and sums costs by tag. */
public final class Router {
    /** A step that splits a text into parts. */
    enum Step implements Function<String, List<String>> {
        COLUMNS {
            @Override
            public List<String> apply(String line) {
                return Arrays.asList(line.split("\\s*[|]\\s*")); // [call] [edit]
                // [new] return Arrays.asList(BAR.split(line));
            }
        },
        TAGS {
            @Override
            public List<String> apply(String cell) {
                return Arrays.asList(Pattern.compile("\\s*[;,]\\s*").split(cell)); // [call] [edit]
                // [new] return Arrays.asList(SEMICOLON.split(cell));
            }
        };
        // [new] private static final Pattern BAR = Pattern.compile("\\s*[|]\\s*"), SEMICOLON = Pattern.compile("\\s*[;,]\\s*");
    }

    private final Map<String, Integer> costs = new TreeMap<>();

    private void load(List<String> table) {
        table.stream().map(Step.COLUMNS).forEach(columns -> {
            List<String> tags = Step.TAGS.apply(columns.get(1));
            for (String tag : tags.subList(1, tags.size())) costs.merge(tag, tags.get(0).length(), Integer::sum);
        });
    }

    static List<String> table() {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 800; i++) lines.add("10." + i + ".0.0/16 | " + i * 7 + " ; isp" + i % 5 + ", edge");
        return lines;
    }

    public static void main(String[] arguments) {
        List<String> table = table();
        Load.onThreads(2, "route-loader", () -> {
            Router router = new Router();
            return () -> {
                router.load(table);
                Load.kept = router.costs.size();
            };
        });
    }
}
