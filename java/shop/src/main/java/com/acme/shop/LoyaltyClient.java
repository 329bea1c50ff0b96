package com.acme.shop;

import java.math.BigDecimal;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.springframework.stereotype.Component;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.RestClient;

/** Adds points to a customer's card. The service for that is out of order, and orders are taken without points. */
@Component
class LoyaltyClient {
    private static final int ATTEMPTS = Faults.count(8);
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final RestClient client;
    private volatile long closedUntil = System.nanoTime();

    LoyaltyClient(RestClient client) {
        this.client = client;
    }

    int add(long customer, BigDecimal total) {
        if (Faults.on("retry-storm")) return addStubbornly(customer, total);
        if (System.nanoTime() - closedUntil < 0) return 0;
        try {
            return send(customer, total);
        } catch (HttpServerErrorException e) {
            closedUntil = System.nanoTime() + PAUSE_NANOS;
            return 0;
        }
    }

    private int addStubbornly(long customer, BigDecimal total) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            try {
                return send(customer, total); // [call retry-storm]
            } catch (HttpServerErrorException e) {
                continue; // [edit retry-storm]
            }
        }
        return 0;
    }

    private int send(long customer, BigDecimal total) {
        Integer points = client.post().uri("/loyalty").body(Map.of("customer", customer, "total", total))
                .retrieve().body(Integer.class);
        return points == null ? 0 : points;
    }
}
