package net.sparrowhawk.caves;

import com.acme.load.Load;
import java.util.ArrayDeque;
import java.util.Random;
import java.util.Stack;

/** Finds the chambers of a cave from a laser scan, and their sizes. */
public final class CaveMapper {
    static final class Cell {
        final int x, y;
        boolean open;
        int chamber;

        Cell(int x, int y) {
            this.x = x;
            this.y = y;
        }
    }

    private static final int SIZE = 120;

    private final Cell[][] cells = new Cell[SIZE][SIZE];
    private final Stack<Cell> path = new Stack<>(); // [edit]
    // [new] private final ArrayDeque<Cell> path = new ArrayDeque<>();

    CaveMapper() {
        Random random = new Random(77);
        for (int y = 0; y < SIZE; y++)
            for (int x = 0; x < SIZE; x++) {
                cells[y][x] = new Cell(x, y);
                cells[y][x].open = random.nextInt(100) < 70;
            }
    }

    private void visit(int x, int y, int chamber) {
        if (x < 0 || y < 0 || x >= SIZE || y >= SIZE)
            return;
        Cell cell = cells[y][x];
        if (cell.open && cell.chamber == 0) {
            cell.chamber = chamber;
            path.push(cell); // [call]
        }
    }

    private int fill(Cell start, int chamber) {
        int size = 0;
        start.chamber = chamber;
        path.push(start);
        while (!path.isEmpty()) {
            Cell cell = path.pop();
            size++;
            visit(cell.x + 1, cell.y, chamber);
            visit(cell.x - 1, cell.y, chamber);
            visit(cell.x, cell.y + 1, chamber);
            visit(cell.x, cell.y - 1, chamber);
        }
        return size;
    }

    void map() {
        long sum = 0;
        int chambers = 0;
        for (Cell[] row : cells)
            for (Cell cell : row)
                cell.chamber = 0;
        for (Cell[] row : cells)
            for (Cell cell : row)
                if (cell.open && cell.chamber == 0)
                    sum = sum * 31 + fill(cell, ++chambers);
        Load.kept = sum;
    }

    public static void main(String[] args) {
        Load.onThreads(1, "scan", () -> new CaveMapper()::map);
    }
}
