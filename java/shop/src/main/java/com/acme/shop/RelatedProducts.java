package com.acme.shop;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Component;

/** Products that are like another one. They are computed when first needed, and half of them are kept. */
@Component
class RelatedProducts {
    private static final int KEPT = SampleData.PRODUCTS / 2;
    private static final int SHOWN = 10;
    /** Words of a product's description: the time of a comparison. */
    private static final int WORDS = Options.words();

    private final int[][] words = new int[SampleData.PRODUCTS + 1][];
    private final Map<Long, List<Long>> cache = new ConcurrentHashMap<>();
    private final Map<Long, List<Long>> lockedCache = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, List<Long>> eldest) {
            return size() > KEPT;
        }
    };

    RelatedProducts() {
        Random random = new Random(11);
        for (int id = 1; id < words.length; id++) words[id] = random.ints(WORDS, 0, 20_000).sorted().toArray();
    }

    List<Long> of(long product) {
        if (Faults.on("synchronized-cache")) return lockedOf(product);
        List<Long> known = cache.get(product);
        if (known != null) return known;
        List<Long> related = compute(product);
        if (cache.size() >= KEPT) cache.keySet().stream().findFirst().ifPresent(cache::remove);
        cache.put(product, related);
        return related;
    }

    private List<Long> lockedOf(long product) {
        synchronized (lockedCache) { // [call synchronized-cache]
            List<Long> known = lockedCache.get(product);
            if (known != null) return known;
            List<Long> related = compute(product); // [edit synchronized-cache]
            lockedCache.put(product, related);
            return related;
        }
    }

    private List<Long> compute(long product) {
        record Scored(long id, int score) {}
        List<Scored> all = new ArrayList<>();
        for (int other = 1; other < words.length; other++) {
            if (other != product) all.add(new Scored(other, sameWords(words[(int) product], words[other])));
        }
        Scored[] sorted = all.toArray(new Scored[0]);
        Arrays.sort(sorted, Comparator.comparingInt(Scored::score).reversed());
        return Arrays.stream(sorted).limit(SHOWN).map(Scored::id).toList();
    }

    private static int sameWords(int[] left, int[] right) {
        int same = 0;
        int i = 0;
        int j = 0;
        while (i < left.length && j < right.length) {
            if (left[i] == right[j]) {
                same++;
                i++;
                j++;
            } else if (left[i] < right[j]) {
                i++;
            } else {
                j++;
            }
        }
        return same;
    }
}
