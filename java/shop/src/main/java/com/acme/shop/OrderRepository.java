package com.acme.shop;

import java.util.Collection;
import java.util.List;
import org.springframework.data.domain.Pageable;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Query;

/** The orders in the database. */
interface OrderRepository extends JpaRepository<Order, Long> {
    @Query("select o.id from Order o where o.customer.id = :customer order by o.id desc")
    List<Long> newest(long customer, Pageable page);

    @Query("select o from Order o join fetch o.lines l join fetch l.product where o.id in :ids order by o.id desc")
    List<Order> withLines(Collection<Long> ids);

    @Query("select o from Order o where o.id in :ids order by o.id desc")
    List<Order> withoutLines(Collection<Long> ids);
}
