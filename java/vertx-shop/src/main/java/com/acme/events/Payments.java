package com.acme.events;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.ext.web.client.WebClient;
import io.vertx.ext.web.client.WebClientOptions;

/** The client of the payment service, without blocking. */
final class Payments {
    private final WebClient client;

    Payments(Vertx vertx, int port) {
        client = WebClient.create(vertx, new WebClientOptions()
                .setDefaultHost("127.0.0.1").setDefaultPort(port).setMaxPoolSize(500).setKeepAliveTimeout(60));
    }

    Future<JsonObject> rates() {
        return client.get("/rates").send().map(HttpResponse::bodyAsJsonObject);
    }

    Future<JsonObject> charge(JsonObject order) {
        return client.post("/charge").sendJsonObject(order).map(HttpResponse::bodyAsJsonObject);
    }
}
