package whittle.patch;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Changes of a text, by positions in the old text. */
final class Changes {
    private final List<Change> all = new ArrayList<>();

    void insert(long at, String text) {
        replace(at, at, text);
    }

    /** Inserts a text before an expression. Expressions can start at the same position: the text of the longest one comes first. */
    void insertBefore(long start, long end, String text) {
        all.add(new Change((int) start, (int) start, (int) -end, text));
    }

    /** Inserts a text after all other texts at this position. */
    void insertLast(long at, String text) {
        all.add(new Change((int) at, (int) at, 1, text));
    }

    void replace(long start, long end, String text) {
        all.add(new Change((int) start, (int) end, 0, text));
    }

    /** Adds these changes. A change that two places need, such as an import, counts once. */
    void addAll(Changes others) {
        others.all.stream().filter(each -> !all.contains(each)).forEach(all::add);
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    /** The new text. New imports and constants at the same position are sorted. */
    String applied(String text) throws Refused {
        List<Change> sorted = new ArrayList<>(all);
        sorted.sort(Comparator.<Change>comparingInt(each -> each.start).thenComparingInt(each -> each.end)
            .thenComparingInt(each -> each.rank).thenComparing(each -> each.text));
        StringBuilder changed = new StringBuilder();
        int at = 0;
        for (Change each : sorted) {
            if (each.start < at) {
                throw new Refused("two changes overlap");
            }
            changed.append(text, at, each.start).append(each.text);
            at = each.end;
        }
        return changed.append(text, at, text.length()).toString();
    }

    private static final class Change {
        final int start;
        final int end;
        /** The order of changes at the same position. */
        final int rank;
        final String text;

        Change(int start, int end, int rank, String text) {
            this.start = start;
            this.end = end;
            this.rank = rank;
            this.text = text;
        }

        @Override
        public boolean equals(Object other) {
            if (!(other instanceof Change)) {
                return false;
            }
            Change change = (Change) other;
            return start == change.start && end == change.end && rank == change.rank && text.equals(change.text);
        }

        @Override
        public int hashCode() {
            return 31 * (31 * start + end) + text.hashCode();
        }
    }
}
