package org.cobblestone.moves;

import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/** Reads recorded games: the number of moves, then two bytes for each move. */
public final class MoveReader implements Closeable {
    /** Takes the moves of a game in their order. */
    public interface Follower {
        void start(int moves);

        void move(int from, int to);
    }

    private final DataInputStream in;

    public MoveReader(InputStream in) {
        this.in = new DataInputStream(in);
    }

    /** Returns false if there is no further game. */
    public boolean next(Follower follower) throws IOException {
        int moves;
        try {
            moves = in.readUnsignedShort();
        } catch (EOFException end) {
            return false;
        }
        follower.start(moves);
        for (int move = 0; move < moves; move++)
            follower.move(in.readUnsignedByte(), in.readUnsignedByte());
        return true;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
