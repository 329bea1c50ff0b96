package com.kestrelmoor.search;

import com.acme.load.Load;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** Builds an index of streets that finds a name with and without accents. */
public final class StreetIndex {
    /** The steps by which a name becomes a key. */
    private static final List<UnaryOperator<String>> STEPS = List.of(
            String::strip, StreetIndex::plain, StreetIndex::lower, StreetIndex::shorter);

    static String plain(String name) {
        // [new] if (name.chars().allMatch(c -> c < 128)) return name;
        String apart = Normalizer.normalize(name, Normalizer.Form.NFKD); // [call] [edit]
        // [new] String apart = Normalizer.normalize(name, Normalizer.Form.NFKD);
        StringBuilder plain = new StringBuilder(apart.length());
        for (int i = 0; i < apart.length(); i++) if (Character.getType(apart.charAt(i)) != Character.NON_SPACING_MARK) plain.append(apart.charAt(i));
        return plain.toString();
    }

    static String lower(String name) {
        return name.toLowerCase(java.util.Locale.ROOT);
    }

    static String shorter(String name) {
        return name.endsWith(" street") ? name.substring(0, name.length() - 7) : name;
    }

    static String key(String name) {
        String key = name;
        for (UnaryOperator<String> step : STEPS) key = step.apply(key);
        return key;
    }

    static Set<String> parts(String key) {
        Set<String> parts = new HashSet<>();
        for (int i = 0; i + 5 <= key.length(); i += 6) parts.add(key.substring(i, i + 5));
        return parts;
    }

    static Map<String, List<Integer>> index(List<String> streets) {
        Map<String, List<Integer>> index = new TreeMap<>();
        for (int i = 0; i < streets.size(); i++)
            for (String part : parts(key(streets.get(i)))) index.computeIfAbsent(part, p -> new ArrayList<>()).add(i);
        return index;
    }

    static List<String> streets(int count) {
        List<String> streets = new ArrayList<>();
        String[] first = {"Old Harbour ", "Queen Margaret ", "Beneš ", "Saint Andrew ", "Upper Meadow ", "Château ", "Long Acre "};
        String[] last = {"street", "lane", "gardens", "crescent", "terrace of the seven brothers", "walk"};
        for (int i = 0; i < count; i++) streets.add(" " + first[i % 7] + last[i % 6] + " near the market of district " + i % 40 + ", north side");
        return streets;
    }

    public static void main(String[] arguments) {
        List<String> streets = streets(700);
        Load.onThreads(2, "index", () -> () -> Load.kept = index(streets));
    }
}
