package net.hooli.quotes;

import com.acme.load.Load;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** Sends quotes to a subscriber on this machine. */
public final class QuoteFeed {
    /** A field of the protocol: tag, length, value. */
    static ByteBuffer field(int tag, long value) {
        return ByteBuffer.allocate(10).put((byte) tag).put((byte) 8).putLong(value).flip();
    }

    /** One connection. */
    static final class Subscription {
        private final SocketChannel peer;
        // [new] private final ByteBuffer waiting = ByteBuffer.allocateDirect(8192);

        Subscription(SocketChannel peer) {
            this.peer = peer;
        }

        void quote(int paper, long bid, long ask) throws IOException {
            send(field(1, paper));
            send(field(2, bid));
            send(field(3, ask));
        }

        private void send(ByteBuffer field) throws IOException {
            while (field.hasRemaining()) peer.write(field); // [call] [edit]
            // [new] if (waiting.remaining() < 16) flush();
            // [new] waiting.put(field);
        }

        void flush() throws IOException {
            // [new] waiting.flip();
            // [new] while (waiting.hasRemaining()) peer.write(waiting);
            // [new] waiting.clear();
        }
    }

    static long price(long seed) {
        long price = seed;
        for (int i = 0; i < 100; i++) price = price * 6364136223846793005L + 1442695040888963407L;
        return price >>> 40;
    }

    static SocketChannel subscriber() throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        Thread reader = new Thread(() -> {
            try (SocketChannel feed = server.accept()) {
                ByteBuffer bytes = ByteBuffer.allocateDirect(1 << 16);
                while (feed.read(bytes.clear()) >= 0) { }
            } catch (IOException end) {
                System.err.println(end);
            }
        }, "subscriber");
        reader.setDaemon(true);
        reader.start();
        return SocketChannel.open(server.getLocalAddress()).setOption(StandardSocketOptions.TCP_NODELAY, true);
    }

    public static void main(String[] arguments) throws IOException {
        Subscription subscription = new Subscription(subscriber());
        Load.onThreads(1, "ticker", () -> () -> {
            for (int paper = 0; paper < 500; paper++) subscription.quote(paper, price(paper), price(paper + 1));
            subscription.flush();
        });
    }
}
