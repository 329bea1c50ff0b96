package com.acme.shop;

import com.acme.shop.Views.Fee;
import com.acme.shop.Views.Quote;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.springframework.stereotype.Service;

/** The price of a product with all ways to pay. */
@Service
class QuoteService {
    private static final long POLL_MILLIS = Faults.count(15);

    private final ProductService products;
    private final PaymentClient payment;
    private final ExecutorService remoteCalls;
    private final ExecutorService clerks = Executors.newFixedThreadPool(2, Pools.named("clerk")); // [edit queue-wait]

    QuoteService(ProductService products, PaymentClient payment, ExecutorService remoteCalls) {
        this.products = products;
        this.payment = payment;
        this.remoteCalls = remoteCalls;
    }

    Quote quote(long id) throws InterruptedException, ExecutionException {
        Product product = products.product(id);
        boolean onAccount = product.price().compareTo(limit()) <= 0;
        return new Quote(id, product.price(), onAccount, fees());
    }

    private BigDecimal limit() throws InterruptedException, ExecutionException {
        if (Faults.on("queue-wait")) return clerks.submit(payment::limit).get(); // [call queue-wait]
        Future<BigDecimal> limit = remoteCalls.submit(payment::limit);
        if (Faults.on("sleep-poll")) {
            while (!limit.isDone()) {
                Thread.sleep(POLL_MILLIS); // [call sleep-poll]
            }
        }
        return limit.get();
    }

    private List<Fee> fees() throws InterruptedException, ExecutionException {
        if (Faults.on("common-pool")) {
            return PaymentClient.METHODS.parallelStream() // [edit common-pool]
                    .map(payment::fee)
                    .toList(); // [call common-pool]
        }
        if (Faults.on("serial-calls")) {
            List<Fee> fees = new ArrayList<>();
            for (String method : PaymentClient.METHODS) {
                fees.add(payment.fee(method)); // [call serial-calls]
            }
            return fees;
        }
        List<Future<Fee>> calls = new ArrayList<>();
        for (String method : PaymentClient.METHODS) calls.add(remoteCalls.submit(() -> payment.fee(method)));
        List<Fee> fees = new ArrayList<>();
        for (Future<Fee> call : calls) fees.add(call.get());
        return fees;
    }
}
