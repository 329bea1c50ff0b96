package com.acme.events;

import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ExecutionException;

/** Starts the payment service and the shop, and prints the shop's port when it is ready. */
public final class Shop {
    private Shop() {}

    public static void main(String[] arguments) throws Exception {
        Settings settings = Settings.read();
        int paymentPort = await(PaymentService.start(settings.delayMillis()));
        LegacyClient legacy = new LegacyClient(paymentPort);
        PriceTable prices = new PriceTable(legacy, settings);
        int port = settings.port() == 0 ? freePort() : settings.port();
        Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(settings.loops()));
        await(vertx.deployVerticle(() -> new ShopVerticle(settings, port, paymentPort, prices, legacy),
                new DeploymentOptions().setInstances(settings.loops())));
        prices.keepFresh();
        System.out.println("port=" + port);
    }

    private static <T> T await(Future<T> future) throws ExecutionException, InterruptedException {
        return future.toCompletionStage().toCompletableFuture().get();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
