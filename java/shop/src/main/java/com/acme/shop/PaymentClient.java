package com.acme.shop;

import com.acme.payment.PaymentServer;
import com.acme.shop.Views.Fee;
import java.math.BigDecimal;
import java.net.http.HttpClient;
import java.util.List;
import java.util.Map;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

/** Calls the payment service. */
@Component
class PaymentClient {
    static final List<String> METHODS = List.of("card", "invoice", "instalments", "voucher");
    /** How many of a quote's calls use a client of their own if that fault is on. */
    private static final int OWN_CLIENTS = Faults.count(3);

    private final PaymentServer server;
    private final RestClient shared;
    /** The older client, with HttpURLConnection. */
    private final RestClient simple;

    PaymentClient(PaymentServer server, RestClient shared) {
        this.server = server;
        this.shared = shared;
        this.simple = Payment.client(new SimpleClientHttpRequestFactory(), server);
    }

    /** Takes the money and returns the number of the payment. */
    String authorise(long customer, BigDecimal total) {
        return shared.post().uri("/authorise").body(Map.of("customer", customer, "total", total))
                .retrieve().body(String.class);
    }

    /** Up to which price a customer may pay later. */
    BigDecimal limit() {
        return client(shared, 0).get().uri("/limit").retrieve().body(BigDecimal.class);
    }

    /** What a way to pay costs. */
    Fee fee(String method) {
        RestClient client = client(simple, 1 + METHODS.indexOf(method));
        return new Fee(method, client.get().uri("/fee/" + method).retrieve().body(BigDecimal.class));
    }

    private RestClient client(RestClient usual, int call) {
        if (Faults.on("client-per-request") && call < OWN_CLIENTS) {
            HttpClient own = HttpClient.newHttpClient(); // [call client-per-request]
            return Payment.client(new JdkClientHttpRequestFactory(own), server);
        }
        return usual;
    }
}
