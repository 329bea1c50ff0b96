package org.cobblestone.chess;

import com.acme.load.Load;
import java.io.BufferedInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.cobblestone.moves.MoveReader;

/** Counts how often each position occurs in the games of a chess club. */
public final class OpeningBook implements MoveReader.Follower {
    private final Path games;
    private final long[][] keys = new long[64][16];
    private final byte[] board = new byte[64];
    private final int[] seen = new int[1 << 14];
    private long mobility;

    OpeningBook(Path games) {
        this.games = games;
        Random random = new Random(64);
        for (long[] square : keys)
            for (int piece = 0; piece < square.length; piece++)
                square[piece] = random.nextLong();
    }

    private static InputStream open(Path path) throws IOException {
        return Files.newInputStream(path); // [edit]
        // [new] return new BufferedInputStream(Files.newInputStream(path));
    }

    @Override
    public void start(int moves) {
        for (int square = 0; square < 64; square++)
            board[square] = (byte) (square < 16 ? 1 + square % 7 : square >= 48 ? 8 + square % 7 : 0);
    }

    @Override
    public void move(int from, int to) {
        board[to] = board[from];
        board[from] = 0;
        long key = 0;
        for (int square = 0; square < 64; square++)
            key ^= keys[square][board[square]];
        seen[(int) (key >>> 50)]++;
        for (int square = 0; square < 64; square++)
            if (board[square] != 0)
                mobility += reach(square);
    }

    /** Free squares to the right and upwards. */
    private int reach(int square) {
        int free = 0;
        for (int next = square + 1; (next & 7) != 0 && board[next] == 0; next++)
            free++;
        for (int next = square + 8; next < 64 && board[next] == 0; next += 8)
            free++;
        return free;
    }

    void count() throws IOException {
        mobility = 0;
        try (MoveReader reader = new MoveReader(open(games))) {
            while (reader.next(this)) { // [call]
                // the follower counts
            }
        }
        int most = 0;
        for (int times : seen)
            most = Math.max(most, times);
        java.util.Arrays.fill(seen, 0);
        Load.kept = mobility * 31 + most;
    }

    static Path record(int games) throws IOException {
        Path file = Files.createTempFile("chess", ".moves");
        file.toFile().deleteOnExit();
        Random random = new Random(1851);
        try (DataOutputStream out = new DataOutputStream(
                new java.io.BufferedOutputStream(Files.newOutputStream(file)))) {
            for (int game = 0; game < games; game++) {
                int moves = 30 + random.nextInt(50);
                out.writeShort(moves);
                for (int move = 0; move < 2 * moves; move++)
                    out.writeByte(random.nextInt(64));
            }
        }
        return file;
    }

    public static void main(String[] args) throws IOException {
        OpeningBook book = new OpeningBook(record(80));
        Load.here(book::count);
    }
}
