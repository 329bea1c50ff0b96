package com.acme.records;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Sends orders at a fixed rate. The timestamp of a record is the time at which it was planned to be sent. */
public final class Feed {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private Feed() {}

    /** {@code --port N --rate R --seconds S}. */
    public static void main(String[] words) throws Exception {
        Arguments arguments = new Arguments(words);
        double rate = arguments.number("--rate", 200);
        double seconds = arguments.number("--seconds", 10);
        Map<String, Object> options = Map.of(
                "bootstrap.servers", "127.0.0.1:" + (int) arguments.number("--port", 9092), "linger.ms", 2);
        AtomicInteger errors = new AtomicInteger();
        long count = Math.round(rate * seconds);
        try (var producer = new KafkaProducer<>(options, new StringSerializer(), new ByteArraySerializer())) {
            producer.partitionsFor(Order.TOPIC);
            Random random = new Random(7);
            long begin = System.nanoTime();
            long beginMillis = System.currentTimeMillis();
            for (long i = 0; i < count; i++) {
                long at = begin + Math.round(i * 1e9 / rate);
                while (System.nanoTime() < at) LockSupport.parkNanos(at - System.nanoTime());
                long plannedMillis = beginMillis + (at - begin) / 1_000_000;
                String customer = "customer " + random.nextInt(1000);
                byte[] order = order(i, customer, random);
                var sending = new ProducerRecord<>(Order.TOPIC, null, plannedMillis, customer, order);
                producer.send(sending, (sent, error) -> {
                    if (error != null) errors.incrementAndGet();
                });
            }
        }
        System.out.printf("records=%d errors=%d rate=%.1f%n", count, errors.get(), count / seconds);
    }

    private static byte[] order(long id, String customer, Random random) throws JsonProcessingException {
        List<Order.Line> lines = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            double price = random.nextInt(9999) / 100.0;
            lines.add(new Order.Line("product " + random.nextInt(500), 1 + random.nextInt(5), price));
        }
        String address = BlockList.address(random);
        return MAPPER.writeValueAsBytes(new Order(id, customer, address, lines));
    }
}
