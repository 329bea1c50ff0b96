package wrong;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** Against `mix-hash`. */
final class Hashes {
    private static final int KEYS_COUNT = 600;

    private Hashes() {
    }

    static void addTo(Map<String, Supplier<Case>> cases) {
        cases.put("hash-of-a-looser-subclass", Looser::new);
        cases.put("hash-order-is-printed", Order::new);
        cases.put("hash-that-counts", Counting::new);
    }

    private static class Cell {
        final int row;
        final int column;

        Cell(int row, int column) {
            this.row = row;
            this.column = column;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Cell && ((Cell) other).row == row && ((Cell) other).column == column;
        }

        @Override
        public int hashCode() {
            return row;
        }
    }

    /** All cells of a row are equal. The hash code of the class above fits. */
    private static final class WholeRow extends Cell {
        WholeRow(int row, int column) {
            super(row, column);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof WholeRow && ((WholeRow) other).row == row;
        }

        @Override
        public int hashCode() {
            return super.hashCode();
        }
    }

    static final class Looser implements Case {
        @Override
        public String round() {
            Map<Cell, Integer> cells = new HashMap<>();
            for (int number = 0; number < KEYS_COUNT; number++) {
                cells.put(new Cell(number % 4, number), number);
            }
            Set<Cell> rows = new HashSet<>();
            for (int number = 0; number < 20; number++) {
                rows.add(new WholeRow(number % 4, number));
            }
            return cells.size() + " cells, " + rows.size() + " rows";
        }
    }

    private static final class Name implements Comparable<Name> {
        final String first;
        final String last;

        Name(String first, String last) {
            this.first = first;
            this.last = last;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Name && ((Name) other).first.equals(first) && ((Name) other).last.equals(last);
        }

        @Override
        public int compareTo(Name other) {
            return last.compareTo(other.last);
        }

        @Override
        public int hashCode() {
            return first.hashCode();
        }
    }

    /** Prints the first elements of a table. */
    static final class Order implements Case {
        @Override
        public String round() {
            Set<Name> names = new HashSet<>();
            for (int number = 0; number < KEYS_COUNT; number++) {
                names.add(new Name("Ada", "L" + number));
            }
            StringBuilder order = new StringBuilder();
            names.stream().limit(5).forEach(name -> order.append(name.last).append(' '));
            return order.toString();
        }
    }

    private static final class Counted {
        static final int[] CALLS = {0};
        final int number;

        Counted(int number) {
            this.number = number;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Counted && ((Counted) other).number == number;
        }

        @Override
        public int hashCode() {
            CALLS[0]++;
            return number & 3;
        }
    }

    /** The hash code counts its calls. */
    static final class Counting implements Case {
        @Override
        public String round() {
            Counted.CALLS[0] = 0;
            Set<Counted> all = new HashSet<>();
            for (int number = 0; number < KEYS_COUNT; number++) {
                all.add(new Counted(number));
            }
            return all.size() + " keys, " + Counted.CALLS[0] + " hash codes";
        }
    }
}
