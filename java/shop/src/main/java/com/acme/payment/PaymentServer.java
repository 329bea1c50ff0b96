package com.acme.payment;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** The service of another company: takes payments over HTTP on loopback, after a delay, with threads of its own. */
public final class PaymentServer {
    private static final int THREADS = 64;

    private final HttpServer server;
    private final ExecutorService threads;
    private final AtomicLong payments = new AtomicLong();

    private PaymentServer(HttpServer server) {
        AtomicLong number = new AtomicLong();
        this.server = server;
        this.threads = Executors.newFixedThreadPool(THREADS, task -> {
            Thread thread = new Thread(task, "payment-server-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Starts on a free port. The delays are in milliseconds: of payments and limits, and of fees. */
    public static PaymentServer start(double delay, double feeDelay) throws IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        PaymentServer payment = new PaymentServer(HttpServer.create(new InetSocketAddress(loopback, 0), 1000));
        payment.server.createContext("/authorise",
                call -> answer(call, 200, delay, "\"paid-" + payment.payments.incrementAndGet() + "\""));
        payment.server.createContext("/limit", call -> answer(call, 200, delay, "100.00"));
        payment.server.createContext("/fee/", call -> answer(call, 200, feeDelay, "1.25"));
        payment.server.createContext("/loyalty", call -> answer(call, 503, 0, "\"out of order\""));
        payment.server.setExecutor(payment.threads);
        payment.server.start();
        return payment;
    }

    /** Where it listens, on loopback. */
    public int port() {
        return server.getAddress().getPort();
    }

    /** Ends the service at once. */
    public void stop() {
        server.stop(0);
        threads.shutdownNow();
    }

    private static void answer(HttpExchange call, int status, double delayMillis, String text) throws IOException {
        call.getRequestBody().readAllBytes();
        long end = System.nanoTime() + (long) (delayMillis * 1e6);
        for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) LockSupport.parkNanos(left);
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        call.getResponseHeaders().set("Content-Type", "application/json");
        call.sendResponseHeaders(status, body.length);
        call.getResponseBody().write(body);
        call.close();
    }
}
