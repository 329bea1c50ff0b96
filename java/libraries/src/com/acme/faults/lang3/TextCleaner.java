package com.acme.faults.lang3;

import com.acme.load.Load;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.commons.lang3.StringUtils;

/** An importer that normalizes the white space of scanned lines, and counts their words. */
public final class TextCleaner {
    private static final String[] WORDS = "invoice  total\tdate amount   paid due  customer number street  city".split(" ");

    private TextCleaner() {}

    public static void main(String[] args) {
        Random random = new Random(14);
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            StringBuilder line = new StringBuilder();
            while (line.length() < 120) {
                line.append(WORDS[random.nextInt(WORDS.length)]).append("  ");
            }
            lines.add(line.toString());
        }
        Load.onThreads(2, "clean", () -> () -> {
            Map<String, Integer> counts = new HashMap<>();
            for (String line : lines) {
                for (String word : StringUtils.split(clean(line), ' ')) {
                    counts.merge(word, 1, Integer::sum);
                }
            }
            Load.kept = counts;
        });
    }

    private static String clean(String line) {
        return StringUtils.normalizeSpace(line);
    }
}
