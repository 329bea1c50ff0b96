package com.acme.shop;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;

/** What the shop takes and answers as JSON. */
final class Views {
    private Views() {}

    /** The inner measures of a product, in centimetres. */
    record Size(int width, int height, int depth) {}

    /** What a product's maker says about it. */
    record Attributes(String material, List<String> colours, int weightGrams, Size size, String maker) {}

    /** A product. */
    record ProductView(long id, String sku, String name, String category, BigDecimal price, int inStock,
            List<Attributes> attributes, List<Long> related) {}

    /** A line of an order. */
    record LineView(String sku, String name, int quantity, BigDecimal price, BigDecimal discount) {}

    /** An order with its lines. */
    record OrderView(long id, Instant placed, String receipt, List<LineView> lines, BigDecimal total) {}

    /** A line that is ordered. */
    record NewLine(String sku, int quantity) {}

    /** An order that is placed. */
    record NewOrder(long customer, List<NewLine> lines) {}

    /** An order that was placed. */
    record OrderPlaced(long id, BigDecimal total, String receipt, int points) {}

    /** A way to pay, with its fee. */
    record Fee(String method, BigDecimal fee) {}

    /** A price with all ways to pay. */
    record Quote(long product, BigDecimal price, boolean onAccount, List<Fee> fees) {}
}
