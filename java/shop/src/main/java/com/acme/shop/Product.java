package com.acme.shop;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Index;
import jakarta.persistence.Table;
import java.math.BigDecimal;

/** A thing that the shop sells. */
@Entity
@Table(indexes = @Index(columnList = "sku"))
public class Product {
    @Id
    private Long id;
    private String sku;
    private String name;
    private String category;
    private BigDecimal price;
    /** Whether another company's warehouse has the stock. */
    private boolean external;
    private boolean imported;
    private int stock;
    /** JSON text. */
    @Column(length = 2000)
    private String attributes;

    protected Product() {}

    Product(long id, String sku, String name, String category, BigDecimal price) {
        this.id = id;
        this.sku = sku;
        this.name = name;
        this.category = category;
        this.price = price;
    }

    void stock(boolean external, boolean imported, int stock, String attributes) {
        this.external = external;
        this.imported = imported;
        this.stock = stock;
        this.attributes = attributes;
    }

    Long id() {
        return id;
    }

    String sku() {
        return sku;
    }

    String name() {
        return name;
    }

    String category() {
        return category;
    }

    BigDecimal price() {
        return price;
    }

    boolean external() {
        return external;
    }

    int stock() {
        return stock;
    }

    boolean imported() {
        return imported;
    }

    String attributes() {
        return attributes;
    }
}
