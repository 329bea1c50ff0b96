package whittle.workloads.orders;

import java.util.concurrent.BlockingQueue;

/**
 * Offers messages at a rate, for some time or up to a number. A late broker offers the missing messages at once. With a
 * swing, the rate is lower by this part for two seconds, then higher by this part for two seconds.
 */
final class Broker {
    private final byte[][] messages;
    private static final double SWING_NS = 2e9;

    private final double messagesPerSecond;
    private final double swing;

    Broker(byte[][] messages, double messagesPerSecond, double swing) {
        this.messages = messages;
        this.messagesPerSecond = messagesPerSecond;
        this.swing = swing;
    }

    void offer(BlockingQueue<byte[]> queue, long durationNs, long limit) throws InterruptedException {
        long startNs = System.nanoTime();
        double dueNs = 0;
        for (long i = 0; i < limit; i++) {
            long waitMs = (startNs + (long) dueNs - System.nanoTime()) / 1_000_000;
            if (dueNs > durationNs) {
                break;
            }
            if (waitMs > 0) {
                Thread.sleep(waitMs);
            }
            queue.put(messages[(int) (i % messages.length)]);
            dueNs += 1e9 / rateAt(dueNs);
        }
        queue.put(OrderConsumer.END);
    }

    private double rateAt(double ns) {
        boolean isLow = (long) (ns / SWING_NS) % 2 == 0;
        return messagesPerSecond * (isLow ? 1 - swing : 1 + swing);
    }
}
