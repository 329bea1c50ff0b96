package com.acme.events;

import io.vertx.core.AbstractVerticle;
import io.vertx.core.Promise;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.handler.BodyHandler;
import java.io.IOException;

/** The web service of one event loop. All instances listen on the same port. */
final class ShopVerticle extends AbstractVerticle {
    private final Settings settings;
    private final int port;
    private final int paymentPort;
    private final PriceTable prices;
    private final LegacyClient legacy;

    ShopVerticle(Settings settings, int port, int paymentPort, PriceTable prices, LegacyClient legacy) {
        this.settings = settings;
        this.port = port;
        this.paymentPort = paymentPort;
        this.prices = prices;
        this.legacy = legacy;
    }

    @Override
    public void start(Promise<Void> started) throws IOException {
        Payments payments = new Payments(vertx, paymentPort);
        RiskCheck risk = new RiskCheck(vertx, legacy, settings);
        Router router = Router.router(vertx);
        router.get("/quote/:id").handler(new QuoteHandler(payments, prices, settings));
        router.get("/catalog").handler(new CatalogHandler(payments, settings));
        router.post("/order").handler(BodyHandler.create(false))
                .handler(new OrderHandler(payments, risk, new Journal(vertx, settings)));
        vertx.createHttpServer().requestHandler(router).listen(port, "127.0.0.1").<Void>mapEmpty().onComplete(started);
    }
}
