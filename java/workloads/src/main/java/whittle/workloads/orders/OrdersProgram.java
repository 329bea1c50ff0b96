package whittle.workloads.orders;

import example.calllog.CallLog;
import example.calllog.CallSource;
import example.sampling.Sampler;
import example.tracing.Masking;
import example.tracing.TraceCollector;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import whittle.workloads.Arguments;
import whittle.workloads.CpuTime;
import whittle.workloads.Lines;
import whittle.workloads.WorkThread;

/** The common part of {@link Slow} and {@link Fixed}: arguments, threads, and the printed lines. */
final class OrdersProgram {
    private static final int DISTINCT_MESSAGES = 64;
    private static final int QUEUED_MESSAGES = 1000;
    private static final long REPORT_INTERVAL_MS = 1000;

    private final BlockingQueue<byte[]> queue = new ArrayBlockingQueue<>(QUEUED_MESSAGES);
    private final RemoteServices services;
    private final TraceCollector traces;
    private final OrderConsumer consumer;
    private final byte[][] messages;
    private final List<WorkThread> threads = new ArrayList<>();
    private volatile long samplerCpuNs;
    private volatile boolean isOver;

    private OrdersProgram(Masking masking, CallSource sources, Arguments arguments) {
        services = new RemoteServices(new CallLog(sources));
        traces = new TraceCollector(masking);
        Pricing pricing = new Pricing((int) arguments.count("price-lists", 330, 1, 1_000_000));
        consumer = new OrderConsumer(queue, traces, services, pricing);
        messages = OrderMessages.make(DISTINCT_MESSAGES, (int) arguments.count("lines", 330, 1, 100_000));
    }

    static void run(String[] args, Masking masking, CallSource sources) throws InterruptedException {
        Arguments arguments = Arguments.read(args, "seconds", "messages", "rate", "swing", "threads", "lines", "price-lists",
                "idle-threads", "sample-ms");
        new OrdersProgram(masking, sources, arguments).run(arguments);
    }

    private void run(Arguments arguments) throws InterruptedException {
        long durationNs = arguments.has("messages") ? Long.MAX_VALUE : arguments.secondsAsNanos(30);
        long limit = arguments.count("messages", Long.MAX_VALUE);
        Broker broker = new Broker(messages, arguments.number("rate", 150, 0.1, 1e6),
                arguments.number("swing", 0, 0, 0.99));
        Sampler sampler = new Sampler((long) (arguments.number("sample-ms", 28, 0.1, 1e6) * 1e6));
        WorkThread sampling = new WorkThread("sampling-timer", () -> {
            sampler.run();
            samplerCpuNs = CpuTime.currentThreadCpuNs();
        });
        for (int i = 0; i < arguments.count("threads", 4, 1, 1000); i++) {
            threads.add(new WorkThread("order-consumer-" + i, consumer::consume));
        }
        startIdleThreads(arguments.count("idle-threads", 40, 0, 10_000));
        threads.add(new WorkThread("broker", () -> broker.offer(queue, durationNs, limit)));

        long startNs = System.nanoTime();
        sampling.startDaemon();
        threads.forEach(WorkThread::start);
        WorkThread reporting = new WorkThread("report", this::report);
        reporting.startDaemon();
        for (WorkThread thread : threads) {
            thread.join();
        }
        isOver = true;
        sampler.stop();
        sampling.join();
        reporting.join();
        printResults(System.nanoTime() - startNs);
    }

    /** Starts threads that wait for requests that never come, as in every server. The sampling library samples them, too. */
    private static void startIdleThreads(long count) {
        for (int i = 0; i < count; i++) {
            new WorkThread("http-" + i, new LinkedBlockingQueue<>()::take).startDaemon();
        }
    }

    private void report() throws InterruptedException {
        long reportedCount = 0;
        long reportedNs = System.nanoTime();
        while (!isOver) {
            Thread.sleep(REPORT_INTERVAL_MS);
            long count = consumer.consumedCount();
            long nowNs = System.nanoTime();
            Lines.print("%s backlog=%d consumed=%d", rateText(count - reportedCount, nowNs - reportedNs), queue.size(),
                    count);
            reportedCount = count;
            reportedNs = nowNs;
        }
    }

    private void printResults(long elapsedNs) {
        long count = consumer.consumedCount();
        Lines.print("total " + rateText(count, elapsedNs));
        Lines.print("consumed=%d remote_calls=%d message_bytes=%d result=%d", count, services.callCount(),
                messages[0].length, consumer.result());
        Lines.print("call_log_hash=%x trace_hash=%x", services.lineHash(), traceHash());
        Lines.print("consumers_cpu_ms_per_message=%.3f", consumer.cpuNs() / 1e6 / count);
        Lines.print("sampler_cpu_ms_per_second=%.3f", samplerCpuNs / 1e6 / (elapsedNs / 1e9));
    }

    /** A hash of the text that was kept from the messages. */
    private int traceHash() {
        int hash = 0;
        for (byte[] message : messages) {
            hash = 31 * hash + traces.keptOf(new String(message, StandardCharsets.ISO_8859_1)).hashCode();
        }
        return hash;
    }

    private static String rateText(long count, long intervalNs) {
        double seconds = intervalNs / 1e9;
        return Lines.format("messages=%d seconds=%.2f messages_per_second=%.1f", count, seconds, count / seconds);
    }
}
