package wrong;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Against `cache-boxes`. */
final class Numbers {
    private static final int COUNT = 20_000;

    private Numbers() {
    }

    static void addTo(Map<String, Supplier<Case>> cases) {
        cases.put("boxes-compared-elsewhere", ComparedElsewhere::new);
        cases.put("boxes-compared-at-once", ComparedAtOnce::new);
    }

    /** Another method compares the boxes with ==. */
    static final class ComparedElsewhere implements Case {
        @Override
        public String round() {
            List<Integer> numbers = new ArrayList<>(COUNT);
            for (int number = 0; number < COUNT; number++) {
                numbers.add(1000 + number / 2);
            }
            return same(numbers) + " equal neighbours are one object";
        }

        private static int same(List<Integer> numbers) {
            int same = 0;
            for (int index = 1; index < numbers.size(); index++) {
                same += numbers.get(index) == numbers.get(index - 1) ? 1 : 0;
            }
            return same;
        }
    }

    /** The method that makes the box compares it. */
    static final class ComparedAtOnce implements Case {
        private final List<Long> kept = new ArrayList<>();
        private int same;

        @Override
        public String round() {
            same = 0;
            kept.clear();
            for (long number = 0; number < COUNT; number++) {
                keep(1000 + number / 2);
            }
            return same + " numbers are the last object";
        }

        private void keep(long number) {
            Long box = number;
            if (!kept.isEmpty() && kept.get(kept.size() - 1) == box) {
                same++;
            }
            kept.add(box);
        }
    }
}
