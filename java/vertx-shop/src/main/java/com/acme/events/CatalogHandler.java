package com.acme.events;

import io.vertx.core.Handler;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;

/** {@code GET /catalog}: the products, a page of 20 at a time. */
final class CatalogHandler implements Handler<RoutingContext> {
    private static final int PRODUCTS = 20_000;
    private static final int PAGE = 20;

    private final Payments payments;
    private final boolean everything;
    private final Share share;
    private final JsonArray products = new JsonArray();

    CatalogHandler(Payments payments, Settings settings) {
        this.payments = payments;
        everything = settings.has("heavy-json-on-loop");
        share = new Share(settings);
        for (int i = 0; i < PRODUCTS; i++) {
            products.add(new JsonObject().put("id", i).put("name", "Product number " + i).put("price", 1 + i % 90)
                    .put("weight", i * 0.37).put("tags", new JsonArray().add("new").add("group " + i % 40)));
        }
    }

    @Override
    public void handle(RoutingContext context) {
        payments.rates().map(rates -> body(page(context))).onSuccess(body -> {
            context.response().putHeader("content-type", "application/json").end(body);
        }).onFailure(context::fail);
    }

    private static int page(RoutingContext context) {
        String page = context.request().getParam("page");
        return page == null ? 0 : Integer.parseInt(page);
    }

    private String body(int page) {
        share.request();
        if (everything && share.due()) {
            long start = System.nanoTime();
            String body = products.encode(); // [call heavy-json-on-loop]
            share.spendSince(start);
            return body;
        }
        JsonArray part = new JsonArray();
        for (int i = 0; i < PAGE; i++) part.add(products.getJsonObject((page * PAGE + i) % PRODUCTS));
        return part.encode();
    }
}
