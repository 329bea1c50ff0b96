package whittle.workloads.orders;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Turnover by country, of all orders so far. */
final class Turnover {
    private final Map<String, LongAdder> centsByCountry = new ConcurrentHashMap<>();

    void add(Order order) {
        centsByCountry.computeIfAbsent(order.country, country -> new LongAdder()).add(order.totalCents);
    }

    long totalCents() {
        return centsByCountry.values().stream().mapToLong(LongAdder::sum).sum();
    }
}
