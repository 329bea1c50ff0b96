package whittle.workloads.buffers;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import whittle.workloads.Arguments;
import whittle.workloads.Lines;

/** The common part of {@link Slow} and {@link Fixed}: a messaging benchmark over loopback, and the printed lines. */
final class MessagingProgram {
    private static final long REPORT_INTERVAL_MS = 1000;

    private final List<MessageQueue> queues = new ArrayList<>();
    private final long durationNs;

    private MessagingProgram(long durationNs) {
        this.durationNs = durationNs;
    }

    static void run(String[] args) throws IOException, InterruptedException {
        Arguments arguments =
                Arguments.read(args, "seconds", "queues", "message-bytes", "messages-per-write", "copies");
        MessagingProgram program = new MessagingProgram(arguments.secondsAsNanos(10));
        long queueCount = arguments.count("queues", 8);
        String copies = arguments.choice("copies", "jdk", "own");
        MessageQueue.Shape shape = new MessageQueue.Shape(
                (int) arguments.count("message-bytes", 16 * 1024, Long.BYTES, 1 << 20),
                (int) arguments.count("messages-per-write", 16, 1, 1024),
                copies.equals("own"));
        for (int i = 0; i < queueCount; i++) {
            program.queues.add(new MessageQueue(i, shape));
        }
        program.workAndReport();
        Lines.print("message_bytes=%d temporary_buffer_limit_bytes=%d copies=%s",
                shape.messageBytes(), TemporaryBuffers.limitBytes(), copies);
    }

    private void workAndReport() throws InterruptedException {
        long startNs = System.nanoTime();
        queues.forEach(MessageQueue::start);
        long reportedCount = 0;
        long reportedNs = startNs;
        for (long leftMs; (leftMs = (startNs + durationNs - System.nanoTime()) / 1_000_000) > 0; ) {
            Thread.sleep(Math.min(leftMs, REPORT_INTERVAL_MS));
            long count = receivedCount();
            long nowNs = System.nanoTime();
            Lines.print(throughputText(count - reportedCount, nowNs - reportedNs));
            reportedCount = count;
            reportedNs = nowNs;
        }
        for (MessageQueue queue : queues) {
            queue.end();
        }
        printResults(System.nanoTime() - startNs);
    }

    private void printResults(long elapsedNs) {
        long sent = queues.stream().mapToLong(MessageQueue::sentCount).sum();
        long writes = queues.stream().mapToLong(MessageQueue::writeCallCount).sum();
        Lines.print("sent=%d received=%d writes=%d messages_per_write=%.2f",
                sent, receivedCount(), writes, sent / (double) writes);
        Lines.print("total " + throughputText(receivedCount(), elapsedNs));
    }

    private long receivedCount() {
        return queues.stream().mapToLong(MessageQueue::receivedCount).sum();
    }

    private static String throughputText(long messages, long intervalNs) {
        double seconds = intervalNs / 1e9;
        return Lines.format("messages=%d seconds=%.2f messages_per_second=%.0f", messages, seconds, messages / seconds);
    }
}
