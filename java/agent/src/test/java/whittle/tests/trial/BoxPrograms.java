package whittle.tests.trial;

import java.util.HashMap;
import java.util.Map;

/** Small programs with boxes of numbers. */
final class BoxPrograms {
    private BoxPrograms() {
    }

    static String counts(int numbers) {
        Map<Integer, Integer> counts = new HashMap<>();
        for (int number = -numbers; number < numbers; number++) {
            Integer key = number * 7919;
            counts.merge(key, 1, Integer::sum);
        }
        return counts.toString();
    }

    static String ofAllTypes(int number) {
        Long large = (long) number << 20;
        Short small = (short) number;
        Character letter = (char) number;
        return large + " " + small + " " + (int) letter;
    }

    static boolean isSameHere(int number) {
        Integer first = number;
        Integer second = number;
        return first == second;
    }

    static int locked(int number) {
        Integer lock = number;
        synchronized ((Object) lock) {
            return lock;
        }
    }

    /** A mistake in a program: larger numbers have different boxes. */
    static boolean isSame(int number) {
        return box(number) == box(number);
    }

    static Integer box(int number) {
        return number;
    }
}
