package com.acme.events;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.impl.VertxBuilder;
import io.vertx.core.impl.VertxThread;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.spi.VertxThreadFactory;
import java.util.concurrent.TimeUnit;

/** The "payment" service of another team: it waits a little and answers. It has an event loop of its own. */
final class PaymentService {
    private final Vertx vertx;
    private final int delayMillis;

    private PaymentService(Vertx vertx, int delayMillis) {
        this.vertx = vertx;
        this.delayMillis = delayMillis;
    }

    /** Starts the service on the loopback interface. */
    static Future<Integer> start(int delayMillis) {
        VertxThreadFactory threads = new VertxThreadFactory() {
            @Override
            public VertxThread newVertxThread(Runnable work, String name, boolean worker, long limit, TimeUnit unit) {
                return VertxThreadFactory.super.newVertxThread(work, "payment-" + name, worker, limit, unit);
            }
        };
        VertxOptions options = new VertxOptions().setEventLoopPoolSize(1);
        Vertx vertx = new VertxBuilder(options).threadFactory(threads).init().vertx();
        PaymentService service = new PaymentService(vertx, delayMillis);
        return vertx.createHttpServer().requestHandler(service::answer).listen(0, "127.0.0.1")
                .map(HttpServer::actualPort);
    }

    private void answer(HttpServerRequest request) {
        switch (request.path()) {
            case "/rates" -> later(request, delayMillis, new JsonObject().put("eur", 1.0).put("usd", 1.08));
            case "/charge" -> later(request, delayMillis, new JsonObject().put("receipt", System.nanoTime()));
            case "/risk" -> later(request, Long.parseLong(request.getParam("delay")), new JsonObject().put("score", 7));
            case "/prices" -> later(request, 5, new JsonObject().put("prices", prices()));
            default -> request.response().setStatusCode(404).end();
        }
    }

    private static JsonArray prices() {
        JsonArray prices = new JsonArray();
        for (int i = 0; i < PriceTable.PAGE; i++) prices.add(1 + i % 90);
        return prices;
    }

    private void later(HttpServerRequest request, long millis, JsonObject answer) {
        vertx.setTimer(millis, timer -> request.response().end(answer.toBuffer()));
    }
}
