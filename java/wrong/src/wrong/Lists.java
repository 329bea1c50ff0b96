package wrong;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Against `index-list`, `array-list` and `presize`. */
final class Lists {
    private static final int LENGTH = 2000;

    private Lists() {
    }

    static void addTo(Map<String, Supplier<Case>> cases) {
        cases.put("list-that-changes-in-its-middle", ChangingMiddle::new);
        cases.put("list-with-elements-that-change", ChangingElements::new);
        cases.put("linked-list-for-others", ForOthers::new);
        cases.put("map-order-is-printed", MapOrder::new);
    }

    /** Replaces elements while it searches others. */
    static final class ChangingMiddle implements Case {
        @Override
        public String round() {
            List<String> names = new ArrayList<>();
            for (int number = 0; number < LENGTH; number++) {
                names.add("name" + number);
            }
            int found = 0;
            for (int number = 0; number < 100; number++) {
                names.set(100 + number, "other" + number);
                found += names.contains("other" + number) ? 1 : 0;
            }
            return found + " found";
        }
    }

    private static final class Item {
        private int number;

        Item(int number) {
            this.number = number;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Item && ((Item) other).number == number;
        }

        @Override
        public int hashCode() {
            return number;
        }
    }

    /** The elements of the list change. */
    static final class ChangingElements implements Case {
        @Override
        public String round() {
            List<Item> items = new ArrayList<>();
            for (int number = 0; number < LENGTH; number++) {
                items.add(new Item(number));
            }
            int sum = 0;
            for (int number = 0; number < 100; number++) {
                items.get(LENGTH / 2 + number).number = LENGTH + number;
                sum += items.indexOf(new Item(LENGTH + number));
            }
            return "sum " + sum;
        }
    }

    /** Another method gets the list, and wants a LinkedList. */
    static final class ForOthers implements Case {
        @Override
        public String round() {
            List<Integer> numbers = new LinkedList<>();
            for (int number = 0; number < LENGTH; number++) {
                numbers.add(number);
            }
            int sum = 0;
            for (int index = 0; index < 100; index++) {
                sum += numbers.contains(LENGTH + index) ? 1 : 0;
            }
            return sum + " " + kind(numbers);
        }

        private static String kind(List<Integer> list) {
            return list instanceof LinkedList ? "linked" : "other";
        }
    }

    /** Prints a table without sorting its keys. */
    static final class MapOrder implements Case {
        @Override
        public String round() {
            String order = "";
            for (int count = 0; count < 20; count++) {
                order = order(count == 19 ? 20 : LENGTH);
            }
            return order;
        }

        private static String order(int length) {
            Map<Integer, Integer> squares = new HashMap<>();
            for (int number = 0; number < length; number++) {
                squares.put(number * 17, number);
            }
            List<Integer> keys = new ArrayList<>(squares.keySet());
            return keys.subList(0, Math.min(10, keys.size())) + " " + Collections.max(keys);
        }
    }
}
