package com.acme.shop;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/** Fills the database, the same at each start. The shares of unusual products follow the severity. */
@Component
class SampleData implements SmartLifecycle {
    static final int PRODUCTS = 500;
    private static final int CUSTOMERS = 200;
    private static final int ORDERS = 2000;
    private static final int LINES = 5;
    private static final String[] KINDS = {"Lamp", "Chair", "Table", "Shelf", "Clock", "Carpet", "Mirror", "Vase"};

    private final ProductRepository products;
    private final CustomerRepository customers;
    private final OrderRepository orders;
    private final TransactionTemplate transaction;
    private final Random random = new Random(7);
    private volatile boolean running;

    SampleData(ProductRepository products, CustomerRepository customers, OrderRepository orders,
            TransactionTemplate transaction) {
        this.products = products;
        this.customers = customers;
        this.orders = orders;
        this.transaction = transaction;
    }

    static String sku(long product) {
        return String.format("%c%c-%04d-EU", (char) ('A' + product % 26), (char) ('A' + product / 26), product);
    }

    /** Fills the database before the web server starts. */
    @Override
    public void start() {
        transaction.executeWithoutResult(status -> fill());
        running = true;
    }

    private void fill() {
        List<Product> newProducts = new ArrayList<>();
        for (long id = 1; id <= PRODUCTS; id++) newProducts.add(product(id));
        List<Product> allProducts = products.saveAll(newProducts);
        List<Customer> newCustomers = new ArrayList<>();
        for (long id = 1; id <= CUSTOMERS; id++)
            newCustomers.add(new Customer(id, "Customer " + id, "customer" + id + "@example.com"));
        List<Customer> allCustomers = customers.saveAll(newCustomers);
        Instant time = Instant.parse("2024-01-01T00:00:00Z");
        List<Order> allOrders = new ArrayList<>();
        for (int number = 0; number < ORDERS; number++) {
            Order order = new Order(allCustomers.get(number % CUSTOMERS), time.plusSeconds(number * 600L));
            for (int line = 0; line < LINES; line++)
                order.add(allProducts.get(random.nextInt(PRODUCTS)), 1 + random.nextInt(4));
            order.paid("old-" + number);
            allOrders.add(order);
        }
        orders.saveAll(allOrders);
    }

    private Product product(long id) {
        String kind = KINDS[(int) (id % KINDS.length)];
        Product product = new Product(id, sku(id), kind + " no. " + id, "category " + id % 20,
                BigDecimal.valueOf(500 + random.nextInt(20_000), 2));
        boolean external = random.nextDouble() < Faults.amount(1);
        boolean imported = random.nextDouble() < Faults.amount(1);
        product.stock(external, imported, random.nextInt(100), attributes(kind));
        return product;
    }

    private String attributes(String kind) {
        return String.format("{\"material\":\"%s\",\"colours\":[\"red\",\"green\",\"blue\"],\"weightGrams\":%d,"
                + "\"size\":{\"width\":%d,\"height\":%d,\"depth\":%d},\"maker\":\"%s works\"}",
                random.nextBoolean() ? "wood" : "steel", random.nextInt(9000), random.nextInt(200),
                random.nextInt(200), random.nextInt(200), kind);
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return 0;
    }
}
