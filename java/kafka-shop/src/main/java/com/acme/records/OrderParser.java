package com.acme.records;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import java.io.IOException;

/** Reads an order from its JSON. */
final class OrderParser {
    private static final ObjectReader READER = new ObjectMapper().readerFor(Order.class);

    private final boolean fresh;

    OrderParser(Settings settings) {
        fresh = settings.has("parse-per-record");
    }

    Order parse(byte[] json, Share share) throws IOException {
        if (!fresh || !share.due()) return READER.readValue(json);
        long start = System.nanoTime();
        ObjectMapper mapper = new ObjectMapper(); // [edit parse-per-record]
        Order order = mapper.readValue(json, Order.class); // [call parse-per-record]
        share.spendSince(start);
        return order;
    }
}
