package org.larkhill.orchestra;

import com.acme.load.Load;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Sets the score of an orchestra: a second thread breaks the lines while the first one sets the page before. */
public final class ScoreBook {
    /** Work that another thread does. */
    static final class Background {
        private final ExecutorService helper = Executors.newSingleThreadExecutor(work -> {
            Thread thread = new Thread(work, "score-breaks");
            thread.setDaemon(true);
            return thread;
        });

        <T> Future<T> begin(Callable<T> work) {
            return helper.submit(work);
        }

        static <T> T finish(Future<T> begun) throws InterruptedException, ExecutionException {
            while (!begun.isDone()) // [call] [edit]
                Thread.onSpinWait(); // [call] [edit]
            return begun.get();
        }
    }

    /** Breaks bars into lines so that the squares of the empty widths are least. */
    static int[] breaks(int[] widths, int page) {
        int[] cost = new int[widths.length + 1], from = new int[widths.length + 1];
        for (int end = 1; end <= widths.length; end++) {
            cost[end] = Integer.MAX_VALUE;
            int used = 0;
            for (int start = end - 1; start >= 0 && used <= page; start--) {
                used += widths[start];
                int empty = Math.abs(page - used);
                if (cost[start] + empty * empty / 16 < cost[end]) {
                    cost[end] = cost[start] + empty * empty / 16;
                    from[end] = start;
                }
            }
        }
        return from;
    }

    /** Spreads the empty width over the bars of each line. */
    static long set(int[] widths, int[] from, int page) {
        long sum = 0;
        for (int end = widths.length; end > 0; end = from[end]) {
            int used = 0;
            for (int bar = from[end]; bar < end; bar++)
                used += widths[bar];
            double stretch = (double) page / used, at = 0;
            for (int bar = from[end]; bar < end; bar++) {
                sum = sum * 31 + Math.round(at * 64);
                at += widths[bar] * stretch;
            }
        }
        return sum;
    }

    private final int[][] voices = new int[8][];
    private final Background background = new Background();

    ScoreBook() {
        Random random = new Random(88);
        for (int voice = 0; voice < voices.length; voice++)
            voices[voice] = random.ints(4_000, 6, 60).toArray();
    }

    void print() throws Exception {
        long sum = 0;
        Future<int[]> next = background.begin(() -> breaks(voices[0], 900));
        for (int voice = 0; voice < voices.length; voice++) {
            int[] from = Background.finish(next);
            int following = (voice + 1) % voices.length;
            next = background.begin(() -> breaks(voices[following], 900));
            sum = sum * 31 + set(voices[voice], from, 900);
        }
        Background.finish(next);
        Load.kept = sum;
    }

    public static void main(String[] args) {
        Load.onThreads(1, "score", () -> new ScoreBook()::print);
    }
}
