package com.acme.shop;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** The sales of all products by category, counted again every few seconds. */
@Component
class Figures {
    /** The sales of a product. The note is long if the severity is high. */
    record Row(long product, String sku, String name, boolean imported, BigDecimal sold, BigDecimal revenue,
            String note) {}

    /** The products of a category. */
    record Section(String category, List<Row> rows) {}

    private static final String NOTE = "n".repeat(Faults.count(800));

    private final ProductRepository products;
    private volatile List<Section> sections = List.of();

    Figures(ProductRepository products) {
        this.products = products;
    }

    List<Section> sections() {
        return sections;
    }

    @Scheduled(fixedDelay = 3000)
    void count() {
        Map<Long, Object[]> sales = new HashMap<>();
        for (Object[] row : products.sales()) sales.put((Long) row[0], row);
        Map<String, List<Row>> byCategory = new TreeMap<>();
        for (Product product : products.findAll()) {
            Object[] sold = sales.getOrDefault(product.id(), new Object[] {product.id(), 0L, BigDecimal.ZERO});
            byCategory.computeIfAbsent(product.category(), category -> new ArrayList<>())
                    .add(new Row(product.id(), product.sku(), product.name(), product.imported(),
                            new BigDecimal(sold[1].toString()), (BigDecimal) sold[2], NOTE));
        }
        List<Section> counted = new ArrayList<>();
        byCategory.forEach((category, rows) -> counted.add(new Section(category, rows)));
        sections = counted;
    }
}
