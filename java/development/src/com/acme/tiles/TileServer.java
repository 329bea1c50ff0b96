package com.acme.tiles;

import com.acme.load.Load;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Answers "which tiles are in this box" from a file of fixed-length records. */
public final class TileServer {
    record Tile(int x, int y, long offset, int length) {}

    /** The index file, with 20 bytes for each tile. */
    static final class TileIndex {
        static final int RECORD_BYTES = 20;
        private final RandomAccessFile file;

        TileIndex(Path path) throws IOException {
            file = new RandomAccessFile(path.toFile(), "r");
        }

        List<Tile> block(int first, int count) throws IOException {
            List<Tile> tiles = new ArrayList<>(count);
            file.seek((long) first * RECORD_BYTES);
            // [new] byte[] bytes = new byte[count * RECORD_BYTES];
            // [new] file.readFully(bytes);
            // [new] ByteBuffer records = ByteBuffer.wrap(bytes);
            for (int i = 0; i < count; i++) {
                int x = file.readInt(), y = file.readInt(); // [call] [edit]
                long offset = file.readLong(); // [call] [edit]
                tiles.add(new Tile(x, y, offset, file.readInt())); // [call] [edit]
                // [new] int x = records.getInt(), y = records.getInt();
                // [new] long offset = records.getLong();
                // [new] tiles.add(new Tile(x, y, offset, records.getInt()));
            }
            return tiles;
        }
    }

    static Path write(int tiles) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(tiles * TileIndex.RECORD_BYTES);
        for (int i = 0; i < tiles; i++) bytes.putInt(i % 256).putInt(i / 256).putLong(i * 4096L).putInt(i % 4096);
        return Files.write(Files.createTempFile("tiles", ".idx"), bytes.array());
    }

    static long answer(TileIndex index, int request) throws IOException {
        long bytes = 0;
        for (Tile tile : index.block(request * 64 % 60_000, 64))
            for (int step = 0; step < 60; step++)
                if ((tile.x() ^ step) < 128 && tile.y() < 200) bytes += tile.length() + tile.offset() % 7;
        return bytes;
    }

    public static void main(String[] arguments) throws Exception {
        Path path = write(65_536);
        Load.onThreads(2, "tile-request", () -> {
            try {
                TileIndex index = new TileIndex(path);
                int[] request = new int[1];
                return () -> Load.kept = answer(index, request[0]++);
            } catch (IOException failure) {
                throw new IllegalStateException(failure);
            }
        });
    }
}
