package com.acme.shop;

import jakarta.persistence.CascadeType;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Index;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToMany;
import jakarta.persistence.Table;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** What a customer bought at one time. */
@Entity
@Table(name = "orders", indexes = @Index(columnList = "customer_id"))
public class Order {
    @Id
    @GeneratedValue(strategy = GenerationType.SEQUENCE)
    private Long id;
    @ManyToOne(fetch = FetchType.LAZY)
    private Customer customer;
    @OneToMany(mappedBy = "order", cascade = CascadeType.PERSIST)
    private List<OrderLine> lines = new ArrayList<>();
    private Instant placed;
    private String receipt;

    protected Order() {}

    Order(Customer customer, Instant placed) {
        this.customer = customer;
        this.placed = placed;
    }

    void add(Product product, int quantity) {
        lines.add(new OrderLine(this, product, quantity));
    }

    void paid(String receipt) {
        this.receipt = receipt;
    }

    BigDecimal total() {
        return lines.stream().map(OrderLine::total).reduce(BigDecimal.ZERO, BigDecimal::add);
    }

    Long id() {
        return id;
    }

    List<OrderLine> lines() {
        return lines;
    }

    Instant placed() {
        return placed;
    }

    String receipt() {
        return receipt;
    }
}
