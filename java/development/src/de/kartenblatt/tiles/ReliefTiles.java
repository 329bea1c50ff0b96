package de.kartenblatt.tiles;

import com.acme.load.Load;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.Adler32;
import java.util.zip.Deflater;

/** Draws shaded relief tiles for a hiking map and keeps the latest ones packed in memory. */
public final class ReliefTiles {
    record TileKey(int zoom, int x, int y) {}

    record Packed(byte[] bytes, int length) {}

    /** A drawing step that every layer of a tile goes through. */
    abstract static class Layer {
        static final int SIZE = 96;

        final void draw(TileKey key, byte[] pixels) {
            prepare(key);
            for (int y = 0; y < SIZE; y++)
                for (int x = 0; x < SIZE; x++)
                    pixels[y * SIZE + x] = (byte) blend(pixels[y * SIZE + x] & 0xff, x, y);
        }

        protected abstract void prepare(TileKey key);

        protected abstract int blend(int below, int x, int y);
    }

    static final class Hillshade extends Layer {
        private static final int OCTAVES = 9;
        private final double[] heights = new double[(SIZE + 1) * (SIZE + 1)];

        @Override
        protected void prepare(TileKey key) {
            for (int y = 0; y <= SIZE; y++)
                for (int x = 0; x <= SIZE; x++) {
                    double height = 0, px = (key.x() * SIZE + x) / 61.0, py = (key.y() * SIZE + y) / 53.0;
                    for (int octave = 1; octave <= OCTAVES; octave++)
                        height += Math.sin(px * octave + 1.7 * octave) * Math.cos(py * octave - 0.4 * octave) / (octave * octave);
                    heights[y * (SIZE + 1) + x] = height;
                }
        }

        @Override
        protected int blend(int below, int x, int y) {
            int at = y * (SIZE + 1) + x;
            double dx = heights[at + 1] - heights[at], dy = heights[at + SIZE + 1] - heights[at];
            double light = (1 - 12 * dx + 9 * dy) / Math.sqrt(1 + 200 * (dx * dx + dy * dy));
            return (int) Math.max(0, Math.min(31, below + 16 * light)) * 8;
        }
    }

    static final class Trails extends Layer {
        private double bend;

        @Override
        protected void prepare(TileKey key) {
            bend = 9 + (key.x() * 7 + key.y() * 13) % 17;
        }

        @Override
        protected int blend(int below, int x, int y) {
            double way = SIZE / 2.0 + bend * Math.sin(x / bend);
            return Math.abs(y - way) < 1.2 && x % 7 < 5 ? 0xff : below;
        }
    }

    /** Tiles of this session only; the oldest go first. */
    static final class TileCache extends LinkedHashMap<TileKey, Packed> {
        private final Deflater packer = new Deflater(Deflater.BEST_COMPRESSION); // [edit]
        // [new] private final Deflater packer = new Deflater(Deflater.BEST_SPEED);
        private final byte[] room = new byte[Layer.SIZE * Layer.SIZE + 1_000];

        void keep(TileKey key, byte[] pixels) {
            packer.reset();
            packer.setInput(pixels);
            packer.finish();
            int size = packer.deflate(room); // [call]
            put(key, new Packed(java.util.Arrays.copyOf(room, size), pixels.length));
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<TileKey, Packed> eldest) {
            return size() > 64;
        }
    }

    static final class Drawer implements Load.Unit {
        private final Layer[] layers = {new Hillshade(), new Trails()};
        private final TileCache cache = new TileCache();
        private final Adler32 check = new Adler32();
        private int turn;

        @Override
        public void run() {
            TileKey key = new TileKey(14, 8_600 + turn % 40, 5_700 + turn / 40 % 40);
            turn++;
            byte[] pixels = new byte[Layer.SIZE * Layer.SIZE];
            for (Layer layer : layers)
                layer.draw(key, pixels);
            cache.keep(key, pixels);
            check.update(pixels);
            Load.kept = key + " " + check.getValue() + " " + cache.get(key).length();
        }
    }

    public static void main(String[] args) {
        Load.onThreads(3, "drawer", Drawer::new);
    }
}
