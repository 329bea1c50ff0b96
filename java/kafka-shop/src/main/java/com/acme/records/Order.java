package com.acme.records;

import java.util.List;

/** An order, as it stands in JSON in a record. */
record Order(long id, String customer, String address, List<Line> lines) {
    static final String TOPIC = "orders";

    /** A line of an order. */
    record Line(String product, int count, double price) {}

    double total() {
        double total = 0;
        for (Line line : lines) total += line.count() * line.price();
        return total;
    }
}
