package com.acme.load;

import java.nio.charset.StandardCharsets;
import java.util.Random;

/** The requests of a mix, as bytes of HTTP/1.1. */
final class Requests {
    private static final int PRODUCTS = 500;
    private static final int CUSTOMERS = 200;
    private static final int LINES = 5;

    private Requests() {}

    static byte[] request(String name, Random random) {
        String text = switch (name) {
            case "products" -> get("/products/" + product(random));
            case "orders" -> get("/orders/" + (1 + random.nextInt(CUSTOMERS)));
            case "quote" -> get("/quote/" + product(random));
            case "report" -> get("/report");
            case "create" -> post("/orders", order(random));
            default -> throw new IllegalArgumentException("No request " + name + " in --mix");
        };
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static String get(String path) {
        return "GET " + path + " HTTP/1.1\r\nHost: shop\r\nAccept: */*\r\n\r\n";
    }

    private static String post(String path, String body) {
        return "POST " + path + " HTTP/1.1\r\nHost: shop\r\nAccept: */*\r\nContent-Type: application/json\r\n"
                + "Content-Length: " + body.length() + "\r\n\r\n" + body;
    }

    private static String order(Random random) {
        StringBuilder body = new StringBuilder("{\"customer\":").append(1 + random.nextInt(CUSTOMERS))
                .append(",\"lines\":[");
        for (int line = 0; line < LINES; line++) {
            long product = product(random);
            body.append(line == 0 ? "" : ",").append("{\"sku\":\"").append(sku(product)).append("\",\"quantity\":")
                    .append(1 + random.nextInt(4)).append('}');
        }
        return body.append("]}").toString();
    }

    private static String sku(long product) {
        return String.format("%c%c-%04d-EU", (char) ('A' + product % 26), (char) ('A' + product / 26), product);
    }

    private static long product(Random random) {
        return 1 + random.nextInt(PRODUCTS);
    }
}
