package com.acme.shop;

import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Index;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.Table;
import java.math.BigDecimal;

/** One product of an order, with its price at that time. */
@Entity
@Table(indexes = @Index(columnList = "order_id"))
public class OrderLine {
    @Id
    @GeneratedValue(strategy = GenerationType.SEQUENCE)
    private Long id;
    @ManyToOne(fetch = FetchType.LAZY)
    private Order order;
    @ManyToOne(fetch = FetchType.LAZY)
    private Product product;
    private int quantity;
    private BigDecimal price;

    protected OrderLine() {}

    OrderLine(Order order, Product product, int quantity) {
        this.order = order;
        this.product = product;
        this.quantity = quantity;
        this.price = product.price();
    }

    BigDecimal total() {
        return price.multiply(BigDecimal.valueOf(quantity));
    }

    Product product() {
        return product;
    }

    int quantity() {
        return quantity;
    }

    BigDecimal price() {
        return price;
    }
}
