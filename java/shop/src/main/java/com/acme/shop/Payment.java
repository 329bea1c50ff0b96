package com.acme.shop;

import com.acme.payment.PaymentServer;
import java.io.IOException;
import java.net.http.HttpClient;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.RestClient;

/** The payment service, which runs in the same process, and the client for it that all requests share. */
@Configuration
class Payment {
    private static final double FEE_MILLIS = 5;

    @Bean(destroyMethod = "stop")
    PaymentServer paymentServer() throws IOException {
        return PaymentServer.start(Options.paymentDelayMillis(), Faults.amount(FEE_MILLIS));
    }

    @Bean
    RestClient restClient(PaymentServer server) {
        HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        return client(new JdkClientHttpRequestFactory(http), server);
    }

    static RestClient client(ClientHttpRequestFactory requests, PaymentServer server) {
        return RestClient.builder().requestFactory(requests)
                .baseUrl("http://127.0.0.1:" + server.port()).build();
    }
}
