package java.whittle.trial;

/**
 * Boxes of numbers, in tables that are larger than those of the JDK. Each number has one slot. The number that was boxed last is in the
 * slot. Threads see an old box or a new one, and both are right, because a box never changes.
 */
public final class Boxes {
    private static final int SLOTS = 1 << 16;
    private static final Integer[] INTEGERS = new Integer[SLOTS];
    private static final Long[] LONGS = new Long[SLOTS];
    private static final Short[] SHORTS = new Short[SLOTS];
    private static final Character[] CHARACTERS = new Character[SLOTS];

    private Boxes() {
    }

    /** Instead of `Integer.valueOf`. */
    public static Integer of(int value, int place) {
        Places.count(place);
        int slot = value & SLOTS - 1;
        Integer box = INTEGERS[slot];
        if (box == null || box != value) {
            box = value;
            INTEGERS[slot] = box;
        }
        return box;
    }

    /** Instead of `Long.valueOf`. */
    public static Long of(long value, int place) {
        Places.count(place);
        int slot = (int) value & SLOTS - 1;
        Long box = LONGS[slot];
        if (box == null || box != value) {
            box = value;
            LONGS[slot] = box;
        }
        return box;
    }

    /** Instead of `Short.valueOf`. */
    public static Short of(short value, int place) {
        Places.count(place);
        Short box = SHORTS[value & SLOTS - 1];
        if (box == null) {
            box = value;
            SHORTS[value & SLOTS - 1] = box;
        }
        return box;
    }

    /** Instead of `Character.valueOf`. */
    public static Character of(char value, int place) {
        Places.count(place);
        Character box = CHARACTERS[value];
        if (box == null) {
            box = value;
            CHARACTERS[value] = box;
        }
        return box;
    }
}
