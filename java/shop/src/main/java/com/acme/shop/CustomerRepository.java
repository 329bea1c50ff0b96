package com.acme.shop;

import org.springframework.data.jpa.repository.JpaRepository;

/** The customers in the database. */
interface CustomerRepository extends JpaRepository<Customer, Long> {}
