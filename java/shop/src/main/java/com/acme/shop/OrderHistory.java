package com.acme.shop;

import com.acme.shop.Views.LineView;
import com.acme.shop.Views.OrderView;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.springframework.data.domain.PageRequest;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** The newest orders of a customer. */
@Service
class OrderHistory {
    private static final int SHOWN = 10;

    private final OrderRepository orders;
    private final Promotions promotions;

    OrderHistory(OrderRepository orders, Promotions promotions) {
        this.orders = orders;
        this.promotions = promotions;
    }

    @Transactional(readOnly = true)
    public List<OrderView> of(long customer) {
        List<OrderView> views = new ArrayList<>();
        for (Order order : newest(customer)) views.add(view(order));
        return views;
    }

    private List<Order> newest(long customer) {
        List<Long> ids = orders.newest(customer, PageRequest.of(0, SHOWN));
        if (Faults.on("n-plus-one")) {
            int lazy = Math.min(ids.size(), Faults.count(SHOWN / 2));
            List<Order> found = new ArrayList<>(orders.withoutLines(ids.subList(0, lazy))); // [edit n-plus-one]
            if (lazy < ids.size()) found.addAll(orders.withLines(ids.subList(lazy, ids.size())));
            return found;
        }
        return orders.withLines(ids);
    }

    private OrderView view(Order order) {
        List<LineView> lines = new ArrayList<>();
        for (OrderLine line : order.lines()) { // [call n-plus-one]
            Product product = line.product();
            BigDecimal discount = promotions.discount(product.sku());
            lines.add(new LineView(product.sku(), product.name(), line.quantity(), line.price(), discount));
        }
        return new OrderView(order.id(), order.placed(), order.receipt(), lines, order.total());
    }
}
