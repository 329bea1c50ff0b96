package com.acme.records;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Sends a receipt for each order. All threads share one producer. */
final class Receipts implements AutoCloseable {
    static final String TOPIC = "receipts";

    private final boolean waits;
    private final boolean flushes;
    private final KafkaProducer<String, byte[]> producer;
    private final AtomicLong errors = new AtomicLong();

    Receipts(int port, Settings settings) {
        waits = settings.has("sync-send");
        flushes = settings.has("flush-per-record");
        Map<String, Object> options = Map.of("bootstrap.servers", "127.0.0.1:" + port, "client.id", "receipts");
        producer = new KafkaProducer<>(options, new StringSerializer(), new ByteArraySerializer());
    }

    void send(Order order, boolean blocked, Share share) throws InterruptedException, ExecutionException {
        String text = order.id() + (blocked ? " refused" : " accepted") + " " + order.total();
        var receipt = new ProducerRecord<>(TOPIC, order.customer(), text.getBytes(StandardCharsets.UTF_8));
        if (waits && share.due()) {
            long start = System.nanoTime();
            producer.send(receipt).get(); // [call sync-send]
            share.spendSince(start);
            return;
        }
        producer.send(receipt, (sent, error) -> {
            if (error != null) errors.incrementAndGet();
        });
        if (flushes && share.due()) {
            long start = System.nanoTime();
            producer.flush(); // [call flush-per-record]
            share.spendSince(start);
        }
    }

    void checkpoint() {
        producer.flush();
        if (errors.get() > 0) throw new IllegalStateException(errors + " receipts were not sent");
    }

    @Override
    public void close() {
        producer.close();
    }
}
