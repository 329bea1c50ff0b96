package eu.bramble.orchard;

import com.acme.load.Load;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Orchards send sheets of their harvest. A field that was not weighed holds a dash or a word. */
public final class HarvestSheet {
    private static final ExecutorService PICKERS = Executors.newFixedThreadPool(3, new java.util.concurrent.ThreadFactory() {
        private int number;

        @Override
        public Thread newThread(Runnable work) {
            Thread thread = new Thread(work, "harvest-picker-" + ++number);
            thread.setDaemon(true);
            return thread;
        }
    });

    /** Gives the weight in a field, if there is one. */
    static OptionalInt weight(String field) {
        try { // [edit]
            // [new] if (field.isEmpty() || !Character.isDigit(field.charAt(0))) return OptionalInt.empty(); else try {
            return OptionalInt.of(Integer.parseInt(field)); // [call]
        } catch (NumberFormatException notWeighed) {
            return OptionalInt.empty();
        }
    }

    record Row(String orchard, String sort, int[] crates) {
        int total() {
            return Arrays.stream(crates).sum();
        }
    }

    static Row row(String line) {
        String[] fields = line.split(";");
        int[] crates = new int[fields.length - 2];
        for (int i = 2; i < fields.length; i++) crates[i - 2] = weight(fields[i].strip()).orElse(0);
        return new Row(fields[0], fields[1], crates);
    }

    static Map<String, Integer> sheet(List<String> lines) {
        List<Row> rows = new ArrayList<>(lines.size());
        for (String line : lines) rows.add(row(line));
        rows.sort((a, b) -> Integer.compare(b.total(), a.total()));
        Map<String, Integer> bySort = new TreeMap<>();
        for (Row row : rows) bySort.merge(row.sort(), row.total(), Integer::sum);
        for (Row row : rows) bySort.merge(row.orchard(), tours(row), Integer::sum);
        return bySort;
    }

    /** The number of tours that a cart for 900 kilograms needs, first fit. */
    static int tours(Row row) {
        int[] carts = new int[row.crates().length];
        int used = 0;
        for (int crate : row.crates()) {
            int cart = 0;
            while (cart < used && carts[cart] + crate > 900) cart++;
            carts[cart] += crate;
            used = Math.max(used, cart + 1);
        }
        return used;
    }

    static List<String> lines(int seed) {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            StringBuilder line = new StringBuilder("orchard " + i % 17 + ";sort " + (char) ('A' + i % 9));
            for (int k = 0; k < 20; k++)
                line.append("; ").append((i + k + seed) % 9 == 0 ? "-" : String.valueOf((i * 31 + k * 97) % 450));
            lines.add(line.toString());
        }
        return lines;
    }

    static void collect() throws Exception {
        List<Callable<Map<String, Integer>>> sheets = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            int seed = i;
            sheets.add(() -> sheet(lines(seed)));
        }
        int kinds = 0;
        for (Future<Map<String, Integer>> result : PICKERS.invokeAll(sheets)) kinds += result.get().size();
        Load.kept = kinds;
    }

    public static void main(String[] arguments) {
        Load.onThreads(1, "harvest", () -> HarvestSheet::collect);
    }
}
