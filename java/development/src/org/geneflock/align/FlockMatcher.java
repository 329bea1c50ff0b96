package org.geneflock.align;

import com.acme.load.Load;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** Finds the nearest relative of a sheep in the flock book by aligning short pieces of DNA. */
public final class FlockMatcher {
    private static final int LONGEST = 384;

    record Sheep(String tag, byte[] marker) {}

    record Match(String tag, int score) {
        Match better(Match other) {
            return other.score > score ? other : this;
        }
    }

    /** How a pair of bases counts. */
    interface Scoring {
        int pair(byte a, byte b);

        int gap();
    }

    enum Plain implements Scoring {
        RULE;

        @Override
        public int pair(byte a, byte b) {
            return a == b ? 5 : (a ^ b) == 6 ? -1 : -4;
        }

        @Override
        public int gap() {
            return -6;
        }
    }

    /** Local alignment of two markers. */
    static int align(byte[] a, byte[] b, Scoring scoring) {
        if (a.length >= LONGEST || b.length >= LONGEST) throw new IllegalArgumentException("marker too long");
        int[] cells = new int[LONGEST * LONGEST]; // [call] [edit]
        // [new] int[] cells = new int[(a.length + 1) * (b.length + 1)];
        int width = b.length + 1, best = 0, gap = scoring.gap();
        for (int i = 1; i <= a.length; i++) {
            int row = i * width;
            for (int j = 1; j < width; j++) {
                int diagonal = cells[row - width + j - 1] + scoring.pair(a[i - 1], b[j - 1]);
                int side = Math.max(cells[row - width + j], cells[row + j - 1]) + gap;
                int score = Math.max(0, Math.max(diagonal, side));
                cells[row + j] = score;
                if (score > best) best = score;
            }
        }
        return best;
    }

    private final List<Sheep> flock = new ArrayList<>();
    private final ExecutorService pool;

    private FlockMatcher(int sheep, ExecutorService pool) {
        this.pool = pool;
        Random random = new Random(12);
        byte[] ancestor = bases(random, 215);
        for (int i = 0; i < sheep; i++) {
            byte[] marker = ancestor.clone();
            for (int change = 0; change < 20 + i % 30; change++) {
                marker[random.nextInt(marker.length)] = bases(random, 1)[0];
            }
            flock.add(new Sheep("UK" + (4100 + i), marker));
        }
    }

    private static byte[] bases(Random random, int length) {
        byte[] bases = new byte[length];
        for (int i = 0; i < length; i++) bases[i] = (byte) "ACGT".charAt(random.nextInt(4));
        return bases;
    }

    private Match nearest(Sheep sought) {
        List<CompletableFuture<Match>> parts = new ArrayList<>();
        int half = flock.size() / 2;
        for (List<Sheep> part : List.of(flock.subList(0, half), flock.subList(half, flock.size()))) {
            parts.add(CompletableFuture.supplyAsync(() -> nearestOf(sought, part), pool));
        }
        return parts.stream().map(CompletableFuture::join).reduce(new Match("none", 0), Match::better);
    }

    private static Match nearestOf(Sheep sought, List<Sheep> part) {
        Match best = new Match("none", 0);
        for (Sheep sheep : part) {
            if (sheep == sought) continue;
            best = best.better(new Match(sheep.tag(), align(sought.marker(), sheep.marker(), Plain.RULE)));
        }
        return best;
    }

    public static void main(String[] args) {
        AtomicInteger number = new AtomicInteger();
        ExecutorService pool = Executors.newFixedThreadPool(2,
                task -> new Thread(task, "main-align-" + number.incrementAndGet()));
        FlockMatcher matcher = new FlockMatcher(60, pool);
        int[] next = {0};
        Load.here(() -> Load.kept = matcher.nearest(matcher.flock.get(next[0]++ % matcher.flock.size())));
    }
}
