package com.harborlight.atlas;

import com.acme.load.Load;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Bakes sea chart tiles: soundings become shaded depth pictures, and finished sheets go to the printer's callback. */
public final class TileBakery {
    record Sounding(float east, float north, float fathoms) {}

    record Tile(int column, int row, byte[] shades) {}

    /** All soundings of the bay, by grid square. */
    static final class Bay {
        private final Map<Integer, List<Sounding>> squares = new HashMap<>();

        Bay(int size) {
            for (int i = 0; i < size; i++) {
                float east = (i * 7919L % 6400) / 100f, north = (i * 104_729L / 97 % 6400) / 100f;
                float fathoms = (float) (12 + 9 * Math.sin(east / 7) * Math.cos(north / 5));
                squares.computeIfAbsent(square(east, north), k -> new ArrayList<>())
                        .add(new Sounding(east, north, fathoms));
            }
        }

        List<Sounding> near(double east, double north) {
            return squares.getOrDefault(square(east, north), List.of());
        }

        private static int square(double east, double north) {
            return (int) (east / 2) * 32 + (int) (north / 2);
        }
    }

    /** The heap that the bakery reports on the sheet's slip. */
    static final class HeapGauge {
        private final Runtime runtime = Runtime.getRuntime();

        long usedMegabytes() {
            System.gc(); // [call] [edit]
            return runtime.totalMemory() - runtime.freeMemory() >> 20;
        }
    }

    /** Collects tiles until a sheet is full. */
    static final class Sheet {
        private final HeapGauge gauge = new HeapGauge();
        private final Consumer<String> printer;
        private final List<Tile> tiles = new ArrayList<>();
        private final int size;

        Sheet(int size, Consumer<String> printer) {
            this.size = size;
            this.printer = printer;
        }

        void add(Tile tile) {
            tiles.add(tile);
            if (tiles.size() < size) return;
            int ink = 0;
            for (Tile done : tiles) for (byte shade : done.shades()) ink += shade & 255;
            tiles.clear();
            printer.accept("ink " + ink + ", memory " + gauge.usedMegabytes() + " MB");
        }
    }

    private static Tile bake(Bay bay, int column, int row) {
        byte[] shades = new byte[48 * 48];
        for (int y = 0; y < 48; y++) {
            for (int x = 0; x < 48; x++) {
                shades[y * 48 + x] = shade(bay, column * 4 + x / 12.0, row * 4 + y / 12.0);
            }
        }
        return new Tile(column, row, shades);
    }

    /** Depth at a point by the soundings around it, weighted by distance. */
    private static byte shade(Bay bay, double east, double north) {
        double sum = 0, weights = 0;
        List<Sounding> near = bay.near(east, north);
        for (int i = 0, step = 1 + near.size() / 110; i < near.size(); i += step) {
            Sounding sounding = near.get(i);
            double dx = sounding.east() - east, dy = sounding.north() - north;
            double weight = 1 / (0.01 + dx * dx + dy * dy);
            sum += weight * sounding.fathoms();
            weights += weight;
        }
        return (byte) (weights == 0 ? 0 : Math.round(sum / weights * 11));
    }

    public static void main(String[] args) {
        Bay bay = new Bay(250_000);
        Load.onThreads(2, "bakery", () -> {
            Sheet sheet = new Sheet(88, slip -> Load.kept = slip);
            int[] next = {0};
            return () -> {
                int at = next[0]++ & 255;
                sheet.add(bake(bay, at & 15, at >> 4));
            };
        });
    }
}
