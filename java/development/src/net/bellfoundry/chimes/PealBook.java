package net.bellfoundry.chimes;

import com.acme.load.Load;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.concurrent.atomic.AtomicInteger;

/** Writes out peals for the ringers: every change of the bells as a line, with calls and a judgement of the music. */
public final class PealBook implements Iterable<byte[]> {
    private static final String NAMES = "1234567890ET";
    private final int bells, length, start;

    PealBook(int bells, int length, int start) {
        this.bells = bells;
        this.length = length;
        this.start = start;
    }

    /** Plain hunt with a call at every lead end: neighbours change places, alternately from the first and the second. */
    @Override
    public Iterator<byte[]> iterator() {
        byte[] row = new byte[bells];
        for (int i = 0; i < bells; i++)
            row[i] = (byte) ((i + start) % bells);
        return new Iterator<>() {
            private int rung;

            @Override
            public boolean hasNext() {
                return rung < length;
            }

            @Override
            public byte[] next() {
                if (!hasNext())
                    throw new NoSuchElementException();
                for (int place = rung % 2; place + 1 < bells; place += 2)
                    swap(place);
                if (++rung % (2 * bells) == 0)
                    swap(bells - 3);
                return row;
            }

            private void swap(int place) {
                byte bell = row[place];
                row[place] = row[place + 1];
                row[place + 1] = bell;
            }
        };
    }

    /** One line of the book. A line may be written by whichever ringer holds the pen. */
    static final class Line implements AutoCloseable {
        private final ThreadLocal<StringBuilder> pen = ThreadLocal.withInitial(() -> new StringBuilder(48)); // [edit]
        // [new] private final StringBuilder pen = new StringBuilder(48);

        Line bell(int bell) {
            pen.get().append(NAMES.charAt(bell)); // [call] [old]
            // [new] pen.append(NAMES.charAt(bell));
            return this;
        }

        Line call(String call) {
            pen.get().append(' ').append(call); // [old]
            // [new] pen.append(' ').append(call);
            return this;
        }

        int write() {
            StringBuilder text = pen.get(); // [old]
            // [new] StringBuilder text = pen;
            int sum = 0;
            for (int i = 0; i < text.length(); i++)
                sum = sum * 31 + text.charAt(i);
            return sum;
        }

        @Override
        public void close() {
            pen.remove(); // [call] [old]
        }
    }

    /** How pleasant a change sounds: runs of neighbours at either end, and bells that strike in their own place. */
    static int music(byte[] row) {
        int music = 0;
        for (int from = 0; from < row.length; from++) {
            int run = 1;
            while (from + run < row.length && Math.abs(row[from + run] - row[from + run - 1]) == 1)
                run++;
            music += run > 2 ? run * run : 0;
            music += row[from] == from ? 1 : 0;
            for (int other = from + 1; other < row.length; other++)
                music += (row[other] + other) % 5 == (row[from] + from) % 5 ? 1 : row[other] > row[from] ? 0 : -1;
        }
        return music;
    }

    private static final AtomicInteger TOWERS = new AtomicInteger();

    private static Load.Unit tower() {
        int[] next = {TOWERS.incrementAndGet()};
        return () -> {
            int page = 0, best = 0;
            for (byte[] row : new PealBook(12, 1320, next[0]++)) {
                int music = music(row);
                best = Math.max(best, music);
                try (Line line = new Line()) {
                    for (byte bell : row)
                        line.bell(bell);
                    if (music > 40)
                        line.call(music == best ? "best" : "good");
                    page = page * 17 + line.write();
                }
            }
            Load.kept = page + " " + best;
        };
    }

    public static void main(String[] args) {
        Load.onThreads(2, "tower", PealBook::tower);
    }
}
