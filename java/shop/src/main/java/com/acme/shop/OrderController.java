package com.acme.shop;

import com.acme.shop.Views.NewOrder;
import com.acme.shop.Views.OrderPlaced;
import com.acme.shop.Views.OrderView;
import java.util.List;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** {@code GET /orders/{customer}} and {@code POST /orders}. */
@RestController
class OrderController {
    private final OrderHistory history;
    private final Checkout checkout;

    OrderController(OrderHistory history, Checkout checkout) {
        this.history = history;
        this.checkout = checkout;
    }

    @GetMapping("/orders/{customer}")
    List<OrderView> orders(@PathVariable long customer) {
        return history.of(customer);
    }

    @PostMapping("/orders")
    @ResponseStatus(HttpStatus.CREATED)
    OrderPlaced place(@RequestBody NewOrder order) {
        return checkout.place(order);
    }
}
