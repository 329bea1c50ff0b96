package com.acme.events;

import io.vertx.core.Handler;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.net.UnknownHostException;

/** {@code GET /quote/:id}: the price of a product in three currencies. */
final class QuoteHandler implements Handler<RoutingContext> {
    private final Payments payments;
    private final PriceTable prices;
    private final Suppliers suppliers;
    private final boolean sleeps;
    private final Share share;

    QuoteHandler(Payments payments, PriceTable prices, Settings settings) throws UnknownHostException {
        this.payments = payments;
        this.prices = prices;
        suppliers = new Suppliers(settings);
        sleeps = settings.has("sleep-on-loop");
        share = new Share(settings);
    }

    @Override
    public void handle(RoutingContext context) {
        int product = Integer.parseInt(context.pathParam("id"));
        payments.rates().map(rates -> quote(product, rates)).onSuccess(context::json).onFailure(context::fail);
    }

    private JsonObject quote(int product, JsonObject rates) {
        try {
            if (sleeps) letPricesSettle();
            double price = prices.price(product);
            JsonObject quote = new JsonObject().put("product", product).put("supplier", suppliers.address());
            for (String currency : rates.fieldNames()) quote.put(currency, price * rates.getDouble(currency));
            return quote;
        } catch (UnknownHostException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void letPricesSettle() throws InterruptedException {
        share.request();
        if (!share.due()) return;
        long start = System.nanoTime();
        Thread.sleep(20); // [call sleep-on-loop]
        share.spendSince(start);
    }
}
