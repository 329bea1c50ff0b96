package com.acme.shop;

/** Sizes of pools, and of the work that requests do, from system properties. */
final class Options {
    private Options() {}

    /** Tomcat's threads: maximum and always ready. */
    static int threads() {
        return Integer.getInteger("shop.threads", 16);
    }

    /** Connections to the database. A request uses one at most. */
    static int pool() {
        if (Faults.on("pool-exhausted")) return Integer.getInteger("shop.pool", 3); // [edit pool-exhausted]
        return Integer.getInteger("shop.pool", threads());
    }

    /** Words per product that are compared to find related products: how long an entry of that cache takes. */
    static int words() {
        int words = Faults.on("synchronized-cache") ? (int) (500 + 4000 * Faults.severity()) : 100;
        return Integer.getInteger("shop.words", words);
    }

    /**
     * The delay of the payment service in milliseconds. Some faults only show if requests come faster than they are
     * done: for these the default is longer, for about 40 requests of their endpoint per second.
     */
    static double paymentDelayMillis() {
        String delay = System.getProperty("shop.payment.delay");
        if (delay != null) return Double.parseDouble(delay);
        if (Faults.on("pool-exhausted")) return 26 + 52 * Faults.severity();
        if (Faults.on("remote-in-lock")) return 5 + 20 * Faults.severity();
        if (Faults.on("queue-wait")) return 8 + 60 * Faults.severity();
        return 5;
    }
}
