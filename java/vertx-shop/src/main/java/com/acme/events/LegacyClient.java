package com.acme.events;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

/** An older client of the payment service that blocks its thread: for worker threads only. */
final class LegacyClient {
    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String address;

    LegacyClient(int port) {
        address = "http://127.0.0.1:" + port;
    }

    JsonObject get(String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(address + path)).build();
        return new JsonObject(client.send(request, BodyHandlers.ofString()).body());
    }
}
