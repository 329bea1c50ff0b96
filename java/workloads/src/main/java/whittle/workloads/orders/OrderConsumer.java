package whittle.workloads.orders;

import example.tracing.TraceCollector;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.LongAdder;
import whittle.workloads.CpuTime;
import whittle.workloads.orders.stages.Pipeline;

/** Takes messages from the queue and handles their orders, until the empty message. */
final class OrderConsumer {
    /** The message that ends the consumers. */
    static final byte[] END = {};

    private final BlockingQueue<byte[]> queue;
    private final TraceCollector traces;
    private final Pipeline stages;
    private final Pricing pricing;
    private final Turnover turnover = new Turnover();
    private final LongAdder consumed = new LongAdder();
    private final LongAdder answers = new LongAdder();
    private final LongAdder cpuNs = new LongAdder();

    OrderConsumer(BlockingQueue<byte[]> queue, TraceCollector traces, RemoteServices services, Pricing pricing) {
        this.queue = queue;
        this.traces = traces;
        this.stages = Pipeline.of(services);
        this.pricing = pricing;
    }

    /** The work of each thread. */
    void consume() throws InterruptedException {
        for (byte[] message; (message = queue.take()) != END; ) {
            handle(new String(message, StandardCharsets.ISO_8859_1));
            consumed.increment();
        }
        cpuNs.add(CpuTime.currentThreadCpuNs());
        queue.put(END);
    }

    private void handle(String message) {
        traces.received(message);
        Order order = OrderParser.parse(message);
        pricing.price(order);
        answers.add(stages.pass(order));
        turnover.add(order);
    }

    long consumedCount() {
        return consumed.sum();
    }

    /** The result of the orders. It depends only on the messages, not on logging and tracing. */
    long result() {
        return turnover.totalCents() + answers.sum();
    }

    /** CPU time of the threads that have ended. */
    long cpuNs() {
        return cpuNs.sum();
    }
}
