package com.fernhollow.trail;

import com.acme.load.Load;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;

/** Where animals walk in a forest reserve: sightings of cameras are spread over plots, and plots joined to trails. */
public final class TrailCameras {
    /** A square of the forest, ten metres wide. */
    static final class Plot {
        final int column, row;

        Plot(int column, int row) {
            this.column = column;
            this.row = row;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Plot plot && plot.column == column && plot.row == row; // [call]
        }

        @Override
        public int hashCode() {
            return column + row; // [edit]
            // [new] return column * 7919 + row;
        }
    }

    static final class Tread {
        double weight;
        int animals;
    }

    /** A picture has 24 by 24 cells of warmth, of which the centre and the size of the animal are found. */
    static final class Sighting {
        final double x, y;
        final float[] warmth = new float[24 * 24];

        Sighting(Random random) {
            x = 20 + 140 * random.nextDouble();
            y = 20 + 140 * random.nextDouble();
            double up = 6 + 12 * random.nextDouble(), left = 6 + 12 * random.nextDouble();
            for (int i = 0; i < warmth.length; i++)
                warmth[i] = (float) (Math.exp(-Math.hypot(i / 24 - up, i % 24 - left) / 3) + 0.1 * random.nextDouble());
        }

        double[] animal() {
            double sum = 0, up = 0, left = 0, size = 0;
            float[] sorted = warmth.clone();
            Arrays.sort(sorted);
            float ground = sorted[sorted.length * 3 / 4];
            for (int i = 0; i < warmth.length; i++) {
                double above = Math.max(0, warmth[i] - ground);
                sum += above;
                up += above * (i / 24);
                left += above * (i % 24);
                size += above > 0.2 ? 1 : 0;
            }
            return new double[] {x + left / sum / 12 - 1, y + up / sum / 12 - 1, size};
        }
    }

    /** The forest of one night. */
    static final class Night {
        private final Map<Plot, Tread> treads = new HashMap<>();

        void add(double[] animal) {
            int column = (int) animal[0], row = (int) animal[1];
            for (int dx = -2; dx <= 2; dx++)
                for (int dy = -2; dy <= 2; dy++) {
                    Plot plot = new Plot(column + dx, row + dy);
                    Tread tread = treads.get(plot); // [call]
                    if (tread == null)
                        treads.put(plot, tread = new Tread()); // [call]
                    double apart = Math.hypot(animal[0] - plot.column, animal[1] - plot.row);
                    tread.weight += animal[2] * Math.exp(-apart * apart / 3);
                    tread.animals++;
                }
        }

        /** The longest way that goes from worn plot to worn plot, east or north. */
        int longestTrail() {
            int[][] length = new int[200][200];
            int longest = 0;
            for (Map.Entry<Plot, Tread> entry : treads.entrySet())
                if (entry.getValue().weight > 8 && entry.getValue().animals > 1)
                    length[entry.getKey().column][entry.getKey().row] = 1;
            for (int column = 1; column < 200; column++)
                for (int row = 1; row < 200; row++)
                    if (length[column][row] > 0) {
                        length[column][row] += Math.max(length[column - 1][row], length[column][row - 1]);
                        longest = Math.max(longest, length[column][row]);
                    }
            return longest;
        }
    }

    public static void main(String[] args) {
        Random random = new Random(1848);
        Sighting[] sightings = new Sighting[180];
        for (int i = 0; i < sightings.length; i++)
            sightings[i] = new Sighting(random);
        Load.here(() -> {
            Night night = new Night();
            double biggest = 0;
            for (Sighting sighting : sightings) {
                double[] animal = sighting.animal();
                biggest = Math.max(biggest, animal[2]);
                night.add(animal);
            }
            Load.kept = night.longestTrail() * 1000 + biggest;
        });
    }
}
