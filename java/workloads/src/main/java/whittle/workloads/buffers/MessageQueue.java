package whittle.workloads.buffers;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import whittle.workloads.WorkThread;

/**
 * One queue with its threads: {@code producer-N} fills the queue, {@code muxer-N} sends its messages over a TCP connection,
 * and {@code receiver-N} reads and checks them.
 *
 * <p>A message starts with its number, and the rest never changes. Messages are not allocated: they come from a ring with
 * more messages than can be on their way.
 */
final class MessageQueue {
    /** The last message, which ends the queue. */
    private static final ByteBuffer END = ByteBuffer.allocate(0);
    /** Maximum number of messages that the receiver reads at once. */
    private static final int MESSAGES_PER_READ = 16;

    private final int messageBytes;
    private final int messagesPerWrite;
    private final ArrayBlockingQueue<ByteBuffer> queue;
    private final ByteBuffer[] ring;
    private final SocketMuxer muxer;
    private final SocketChannel receiving;
    private final List<WorkThread> threads;

    private volatile boolean isEnding;
    /** Written by the receiver only. */
    private volatile long receivedCount;
    /** Written by the producer only, and read after the producer has ended. */
    private long sentCount;

    /** {@code isCopying}: the program itself copies messages, see {@link DirectCopies}. */
    record Shape(int messageBytes, int messagesPerWrite, boolean isCopying) {}

    MessageQueue(int number, Shape shape) throws IOException {
        messageBytes = shape.messageBytes;
        messagesPerWrite = shape.messagesPerWrite;
        queue = new ArrayBlockingQueue<>(2 * messagesPerWrite);
        ring = new ByteBuffer[3 * messagesPerWrite + 1];
        for (int i = 0; i < ring.length; i++) {
            ring[i] = ByteBuffer.allocate(messageBytes);
        }
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress(loopback, 0))) {
            muxer = new SocketMuxer(SocketChannel.open(server.getLocalAddress()),
                    shape.isCopying ? new DirectCopies(messagesPerWrite) : null);
            receiving = server.accept();
        }
        threads = List.of(
                new WorkThread("producer-" + number, this::produce),
                new WorkThread("muxer-" + number, this::send),
                new WorkThread("receiver-" + number, this::receive));
    }

    void start() {
        threads.forEach(WorkThread::start);
    }

    /** Lets the producer end, and waits until all messages have arrived. */
    void end() throws InterruptedException {
        isEnding = true;
        for (WorkThread thread : threads) {
            thread.join();
        }
    }

    private void produce() throws InterruptedException {
        while (!isEnding) {
            ByteBuffer message = ring[(int) (sentCount % ring.length)].clear();
            queue.put(message.putLong(0, sentCount));
            sentCount++;
        }
        queue.put(END);
    }

    private void send() throws IOException, InterruptedException {
        List<ByteBuffer> taken = new ArrayList<>(messagesPerWrite);
        ByteBuffer[] messages = new ByteBuffer[messagesPerWrite];
        boolean isEnd = false;
        try (muxer) {
            while (!isEnd) {
                taken.add(queue.take());
                queue.drainTo(taken, messagesPerWrite - 1);
                isEnd = taken.remove(END);
                muxer.write(taken.toArray(messages), taken.size());
                taken.clear();
            }
        }
    }

    private void receive() throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(MESSAGES_PER_READ * messageBytes);
        long count = 0;
        try (receiving) {
            while (receiving.read(buffer) >= 0) {
                buffer.flip();
                for (; buffer.remaining() >= messageBytes; buffer.position(buffer.position() + messageBytes)) {
                    checkNumber(buffer.getLong(buffer.position()), count++);
                }
                buffer.compact();
                receivedCount = count;
            }
        }
        if (buffer.position() > 0) {
            throw new EOFException("the connection ended within a message");
        }
    }

    private static void checkNumber(long found, long expected) throws IOException {
        if (found != expected) {
            throw new IOException("received message " + found + ", expected " + expected);
        }
    }

    long receivedCount() {
        return receivedCount;
    }

    /** After the end. */
    long sentCount() {
        return sentCount;
    }

    /** After the end. */
    long writeCallCount() {
        return muxer.writeCallCount();
    }
}
