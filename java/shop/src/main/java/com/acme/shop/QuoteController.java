package com.acme.shop;

import com.acme.shop.Views.Quote;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** {@code GET /quote/{id}}. */
@RestController
class QuoteController {
    private final QuoteService quotes;

    QuoteController(QuoteService quotes) {
        this.quotes = quotes;
    }

    @GetMapping("/quote/{id}")
    Quote quote(@PathVariable long id) throws Exception {
        return quotes.quote(id);
    }
}
