package whittle.workloads.buffers;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Sends messages from one queue over one connection. Each gathering write sends several messages. */
final class SocketMuxer implements Closeable {
    private final SocketChannel channel;
    /** Null: the JDK makes the copies. */
    private final DirectCopies copies;
    private long writeCallCount;

    SocketMuxer(SocketChannel channel, DirectCopies copies) {
        this.channel = channel;
        this.copies = copies;
    }

    /** Sends the first {@code count} messages. They are heap buffers, so each is copied into a direct buffer. */
    void write(ByteBuffer[] messages, int count) throws IOException {
        if (copies == null) {
            writeAll(messages, count);
        } else {
            writeAll(copies.of(messages, count), count);
            copies.release(count);
        }
    }

    private void writeAll(ByteBuffer[] buffers, int count) throws IOException {
        int first = 0;
        while (first < count) {
            channel.write(buffers, first, count - first);
            writeCallCount++;
            while (first < count && !buffers[first].hasRemaining()) {
                first++;
            }
        }
    }

    /** Calls of {@code SocketChannel.write} so far. */
    long writeCallCount() {
        return writeCallCount;
    }

    /** Ends the connection, so that the receiver finds the end of the stream. */
    @Override
    public void close() throws IOException {
        channel.shutdownOutput();
        channel.close();
    }
}
