package io.initech.importer;

import com.acme.load.Load;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;

/** Guesses the types of columns: whole number, unit of time, or otherwise text. */
public final class RowImport {
    enum Unit { SECONDS, MINUTES, HOURS, DAYS }

    /** Tries to read a cell. Empty: the cell contains something else. */
    static <T> Optional<T> attempt(Function<String, T> reading, String cell) {
        try {
            return Optional.of(reading.apply(cell)); // [call] [or]
        } catch (IllegalArgumentException not) { // [or]
            return Optional.empty();
        }
    }

    static boolean isNumber(String cell) {
        return attempt(Long::parseLong, cell).isPresent(); // [call] [edit]
        // [new] return !cell.isEmpty() && cell.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    static boolean isUnit(String cell) {
        return attempt(Unit::valueOf, cell).isPresent(); // [edit]
        // [new] for (Unit unit : Unit.values()) if (unit.name().equals(cell)) return true;
        // [new] return false;
    }

    static int[] shape(List<String> cells) {
        int[] counts = new int[3];
        for (String cell : cells) {
            int kind = isNumber(cell) ? 0 : isUnit(cell) ? 1 : 2;
            counts[kind] += Math.abs(cell.toLowerCase().hashCode() % 97);
        }
        return counts;
    }

    public static void main(String[] arguments) {
        Random random = new Random(5);
        List<String> cells = new ArrayList<>();
        for (int i = 0; i < 2000; i++) cells.add(random.nextInt(3) == 0 ? "" + i : random.nextBoolean() ? "HOURS" : "name " + i);
        Load.here(() -> Load.kept = shape(cells));
    }
}
