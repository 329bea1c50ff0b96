package com.acme.shop;

import com.acme.shop.Views.ProductView;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** {@code GET /products/{id}}. */
@RestController
class ProductController {
    private final ProductService products;

    ProductController(ProductService products) {
        this.products = products;
    }

    @GetMapping("/products/{id}")
    ProductView product(@PathVariable long id) {
        return products.view(id);
    }
}
