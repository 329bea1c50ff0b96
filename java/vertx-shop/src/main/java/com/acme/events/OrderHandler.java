package com.acme.events;

import io.vertx.core.Handler;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;

/** {@code POST /order}: checks the customer, charges the order and writes it into the journal. */
final class OrderHandler implements Handler<RoutingContext> {
    private final Payments payments;
    private final RiskCheck risk;
    private final Journal journal;

    OrderHandler(Payments payments, RiskCheck risk, Journal journal) {
        this.payments = payments;
        this.risk = risk;
        this.journal = journal;
    }

    @Override
    public void handle(RoutingContext context) {
        JsonObject order = context.body().asJsonObject();
        risk.check(order.getString("customer"))
                .compose(score -> payments.charge(order.copy().put("score", score)))
                .compose(charged -> {
                    JsonObject entry = order.copy().mergeIn(charged);
                    return journal.append(entry.toBuffer().appendByte((byte) '\n')).map(entry);
                })
                .onSuccess(context::json)
                .onFailure(context::fail);
    }
}
