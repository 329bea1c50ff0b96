package com.acme.records;

import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/** A thread of the consumer: polls, works on each order, and commits once per second. */
final class OrderWorker implements Callable<Void> {
    private static final long CHECKPOINT_NANOS = 1_000_000_000;

    private final KafkaConsumer<String, byte[]> consumer;
    private final OrderParser parser;
    private final BlockList blockList;
    private final Receipts receipts;
    private final Statistics statistics;
    private final Share share;
    private final Settings settings;
    private volatile boolean stopped;

    OrderWorker(int port, Settings settings, BlockList blockList, Receipts receipts, Statistics statistics) {
        this.settings = settings;
        this.blockList = blockList;
        this.receipts = receipts;
        this.statistics = statistics;
        parser = new OrderParser(settings);
        share = new Share(settings);
        // Each run is a group of its own and sees the new records only.
        Map<String, Object> options = Map.of(
                "bootstrap.servers", "127.0.0.1:" + port,
                "group.id", "shop-" + ProcessHandle.current().pid(),
                "enable.auto.commit", false,
                "auto.offset.reset", "latest",
                "fetch.min.bytes", 8192,
                "fetch.max.wait.ms", 50);
        consumer = new KafkaConsumer<>(options, new StringDeserializer(), new ByteArrayDeserializer());
    }

    @Override
    public Void call() throws Exception {
        try (AuditLog audit = new AuditLog(settings); consumer) {
            consumer.subscribe(List.of(Order.TOPIC), new ConsumerRebalanceListener() {
                @Override
                public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                    checkpoint(audit);
                }

                @Override
                public void onPartitionsAssigned(Collection<TopicPartition> partitions) {}
            });
            long checkpoint = System.nanoTime();
            while (!stopped) {
                for (var received : consumer.poll(Duration.ofMillis(100))) process(received, audit);
                if (System.nanoTime() - checkpoint > CHECKPOINT_NANOS) {
                    checkpoint(audit);
                    checkpoint = System.nanoTime();
                }
            }
            checkpoint(audit);
        }
        return null;
    }

    void stop() {
        stopped = true;
    }

    private void process(ConsumerRecord<String, byte[]> received, AuditLog audit)
            throws IOException, InterruptedException, ExecutionException {
        long start = System.nanoTime();
        if (settings.has("sleep-in-poll")) takeBreath();
        Order order = parser.parse(received.value(), share);
        boolean blocked = blockList.contains(order.address(), share);
        audit.append(order, share);
        receipts.send(order, blocked, share);
        if (settings.has("commit-per-record")) commit(received);
        share.recordDone(start);
        statistics.done(received.timestamp());
    }

    private void takeBreath() throws InterruptedException {
        if (!share.due()) return;
        long start = System.nanoTime();
        Thread.sleep(1); // [call sleep-in-poll]
        share.spendSince(start);
    }

    private void commit(ConsumerRecord<String, byte[]> done) {
        if (!share.due()) return;
        long start = System.nanoTime();
        TopicPartition partition = new TopicPartition(done.topic(), done.partition());
        consumer.commitSync(Map.of(partition, new OffsetAndMetadata(done.offset() + 1))); // [call commit-per-record]
        share.spendSince(start);
    }

    private void checkpoint(AuditLog audit) {
        receipts.checkpoint();
        audit.checkpoint();
        consumer.commitSync();
    }
}
