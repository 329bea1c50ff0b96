package com.acme.shop;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** Who buys. */
@Entity
public class Customer {
    @Id
    private Long id;
    private String name;
    private String email;

    protected Customer() {}

    Customer(long id, String name, String email) {
        this.id = id;
        this.name = name;
        this.email = email;
    }

    Long id() {
        return id;
    }

    String name() {
        return name;
    }

    String email() {
        return email;
    }
}
