package com.acme.shop;

import com.acme.shop.Views.Attributes;
import com.acme.shop.Views.ProductView;
import java.util.ArrayList;
import java.util.List;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Service;
import org.springframework.web.server.ResponseStatusException;

/** Looks up products, with their stock and related products. */
@Service
class ProductService {
    /** The product and its variants have one text of attributes each. */
    private static final int VARIANTS = Faults.count(6);

    private final ProductRepository products;
    private final StockService stock;
    private final RelatedProducts related;
    private final AttributeReader reader;

    ProductService(ProductRepository products, StockService stock, RelatedProducts related, AttributeReader reader) {
        this.products = products;
        this.stock = stock;
        this.related = related;
        this.reader = reader;
    }

    Product product(long id) {
        return products.findById(id)
                .orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND, "No product " + id));
    }

    ProductView view(long id) {
        Product product = product(id);
        List<Attributes> variants = new ArrayList<>();
        for (int variant = 0; variant < VARIANTS; variant++) variants.add(reader.read(product.attributes()));
        return new ProductView(id, product.sku(), product.name(), product.category(), product.price(),
                stock.pieces(product), variants, related.of(id));
    }
}
