package org.globex.relay;

import com.acme.load.Load;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;

/** Takes messages from producers and appends them to a spool, each with its length and checksum. */
public final class Relay {
    /** An outgoing message. */
    static final class Frame {
        private final ByteBuffer bytes;

        Frame(int capacity) {
            bytes = ByteBuffer.allocateDirect(capacity); // [call] [edit]
            // [new] bytes = SCRATCH.get().clear();
        }

        // [new] private static final ThreadLocal<ByteBuffer> SCRATCH = ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(256 << 10));

        Frame fill(byte[] body) {
            int sum = 1;
            for (byte b : body) sum = sum * 31 + b;
            bytes.putInt(body.length).put(body).putInt(sum).flip();
            return this;
        }

        void writeTo(FileChannel spool) throws IOException {
            spool.write(bytes, 0);
        }
    }

    /** One outgoing lane. */
    static final class Lane {
        private final FileChannel spool;
        private final Deque<byte[]> waiting = new ArrayDeque<>();

        Lane(Path path) throws IOException {
            spool = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        }

        void take(byte[] body) {
            waiting.add(body);
        }

        int drain() throws IOException {
            int sent = 0;
            for (byte[] body; (body = waiting.poll()) != null; sent++) new Frame(256 << 10).fill(body).writeTo(spool); // [or]
            return sent;
        }
    }

    public static void main(String[] arguments) throws Exception {
        Path folder = Files.createTempDirectory("relay");
        byte[] body = new byte[12_000];
        Lane lane = new Lane(folder.resolve("lane"));
        Load.onThreads(1, "lane", () -> () -> {
            for (int i = 0; i < 25; i++) lane.take(body);
            Load.kept = lane.drain();
        });
    }
}
