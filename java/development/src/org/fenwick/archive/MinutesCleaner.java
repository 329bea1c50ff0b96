package org.fenwick.archive;

import com.acme.load.Load;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Cleans scanned minutes of a town council, in which columns are kept apart by many spaces. */
public final class MinutesCleaner {
    private static final Pattern MARGIN = Pattern.compile("[ \t]+$", Pattern.MULTILINE);

    /** Steps that a scan goes through, in their order. */
    private final List<UnaryOperator<String>> steps = new ArrayList<>();

    MinutesCleaner() {
        steps.add(MinutesCleaner::quotes);
        steps.add(MinutesCleaner::margins);
        steps.add(MinutesCleaner::hyphens);
    }

    static String quotes(String scan) {
        StringBuilder text = new StringBuilder(scan.length());
        for (int i = 0; i < scan.length(); i++) {
            char c = scan.charAt(i);
            text.append(c == '\u201e' || c == '\u201c' ? '"' : c == '\u2019' ? '\'' : c);
        }
        return text.toString();
    }

    static String margins(String scan) {
        return MARGIN.matcher(scan).replaceAll(""); // [call] [edit]
        // [new] return scan.lines().map(String::stripTrailing).collect(Collectors.joining("\n", "", "\n"));
    }

    static String hyphens(String scan) {
        return scan.replace("-\n", "");
    }

    String clean(String scan) {
        String text = scan;
        for (UnaryOperator<String> step : steps) text = step.apply(text);
        return text;
    }

    static List<String> keywords(String text) {
        Map<String, Integer> counts = new HashMap<>();
        int start = -1;
        for (int i = 0; i <= text.length(); i++) {
            boolean letter = i < text.length() && Character.isLetter(text.charAt(i));
            if (letter && start < 0) start = i;
            if (!letter && start >= 0) {
                if (i - start > 3) counts.merge(stem(text.substring(start, i)), 1, Integer::sum);
                start = -1;
            }
        }
        return counts.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey()))
                .limit(20).map(entry -> entry.getKey() + "=" + entry.getValue()).toList();
    }

    static String stem(String word) {
        String lower = word.toLowerCase(java.util.Locale.ROOT);
        for (String end : List.of("ings", "ing", "ers", "er", "ed", "s"))
            if (lower.endsWith(end) && lower.length() > end.length() + 3) return lower.substring(0, lower.length() - end.length());
        return lower;
    }

    static String scan(int lines) {
        String[] words = {"council", "voted", "for", "the", "building", "of", "roads", "and", "\u201ebridges\u201c", "members", "agreed"};
        StringBuilder scan = new StringBuilder();
        for (int i = 0; i < lines; i++) {
            for (int k = 0; k < 9; k++) scan.append(words[(i * 7 + k * k) % words.length]).append(' ');
            if (i % 6 == 0) scan.append(" ".repeat(40 + i % 60)).append("| ").append(i);
            char[] margin = new char[i % 12];
            Arrays.fill(margin, ' ');
            scan.append(margin).append(i % 5 == 0 ? "-\n" : "\n");
        }
        return scan.toString();
    }

    public static void main(String[] arguments) {
        String scan = scan(400);
        MinutesCleaner cleaner = new MinutesCleaner();
        Load.onThreads(2, "archive", () -> () -> Load.kept = keywords(cleaner.clean(scan)));
    }
}
