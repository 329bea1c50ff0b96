package com.acme.shop;

import com.acme.shop.Views.NewLine;
import com.acme.shop.Views.NewOrder;
import com.acme.shop.Views.OrderPlaced;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;

/** Places orders: payment, points of the customer's card, and the order in the database. */
@Service
class Checkout {
    private final CustomerRepository customers;
    private final ProductRepository products;
    private final OrderRepository orders;
    private final TransactionTemplate transaction;
    private final PaymentClient payment;
    private final LoyaltyClient loyalty;
    private final Object receiptLock = new Object();
    private long receipts;

    Checkout(CustomerRepository customers, ProductRepository products, OrderRepository orders,
            TransactionTemplate transaction, PaymentClient payment, LoyaltyClient loyalty) {
        this.customers = customers;
        this.products = products;
        this.orders = orders;
        this.transaction = transaction;
        this.payment = payment;
        this.loyalty = loyalty;
    }

    OrderPlaced place(NewOrder request) {
        Order order = Faults.on("pool-exhausted") ? payInTransaction(request) : payFirst(request);
        int points = loyalty.add(request.customer(), order.total());
        return new OrderPlaced(order.id(), order.total(), order.receipt(), points);
    }

    private Order payInTransaction(NewOrder request) {
        return transaction.execute(status -> { // [call pool-exhausted]
            Order order = orders.save(order(request));
            order.paid(receipt(request.customer(), order.total())); // [edit pool-exhausted]
            return order;
        });
    }

    private Order payFirst(NewOrder request) {
        Order order = order(request);
        order.paid(receipt(request.customer(), order.total()));
        return transaction.execute(status -> orders.save(order));
    }

    private Order order(NewOrder request) {
        List<String> skus = request.lines().stream().map(NewLine::sku).toList();
        Map<String, Product> bySku = products.findBySkuIn(skus).stream()
                .collect(Collectors.toMap(Product::sku, Function.identity()));
        Order order = new Order(customers.getReferenceById(request.customer()), Instant.now());
        for (NewLine line : request.lines()) order.add(bySku.get(line.sku()), line.quantity());
        return order;
    }

    private String receipt(long customer, BigDecimal total) {
        if (Faults.on("remote-in-lock")) {
            synchronized (receiptLock) { // [call remote-in-lock]
                return payment.authorise(customer, total) + "-" + ++receipts; // [edit remote-in-lock]
            }
        }
        String authorised = payment.authorise(customer, total);
        synchronized (receiptLock) {
            return authorised + "-" + ++receipts;
        }
    }
}
