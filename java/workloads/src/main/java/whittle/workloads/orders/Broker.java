package whittle.workloads.orders;

import java.util.concurrent.BlockingQueue;

/** Offers messages at a steady rate, for some time or up to a number. One that is late makes up for it. */
final class Broker {
    private final byte[][] messages;
    private final double messagesPerSecond;

    Broker(byte[][] messages, double messagesPerSecond) {
        this.messages = messages;
        this.messagesPerSecond = messagesPerSecond;
    }

    void offer(BlockingQueue<byte[]> queue, long durationNs, long limit) throws InterruptedException {
        long startNs = System.nanoTime();
        for (long i = 0; i < limit; i++) {
            long dueNs = (long) (i * 1e9 / messagesPerSecond);
            long waitMs = (startNs + dueNs - System.nanoTime()) / 1_000_000;
            if (dueNs > durationNs) {
                break;
            }
            if (waitMs > 0) {
                Thread.sleep(waitMs);
            }
            queue.put(messages[(int) (i % messages.length)]);
        }
        queue.put(OrderConsumer.END);
    }
}
