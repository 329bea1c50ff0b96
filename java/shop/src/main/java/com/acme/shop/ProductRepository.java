package com.acme.shop;

import java.util.Collection;
import java.util.List;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Query;

/** The products in the database. */
interface ProductRepository extends JpaRepository<Product, Long> {
    List<Product> findBySkuIn(Collection<String> skus);

    /** Rows of product id, pieces sold and revenue. */
    @Query("select l.product.id, sum(l.quantity), sum(l.quantity * l.price) from OrderLine l group by l.product.id")
    List<Object[]> sales();
}
