package com.acme.shop;

import java.util.Set;
import java.util.TreeSet;

/** The faults that are switched on ({@code -Dshop.faults}), and how large they are ({@code -Dshop.severity}). */
final class Faults {
    private static final Set<String> NAMES = Set.of("pool-exhausted", "remote-in-lock", "n-plus-one",
            "mapper-per-request", "client-per-request", "synchronized-cache", "sync-logging", "sleep-poll",
            "connection-per-call", "threads-unbounded", "common-pool", "queue-wait", "retry-storm", "humongous",
            "exception-flow", "regex-compile", "string-concat-log", "serial-calls");
    private static final Set<String> ON = chosen(System.getProperty("shop.faults", ""));
    private static final double SEVERITY = Double.parseDouble(System.getProperty("shop.severity", "0.5"));

    private Faults() {}

    static boolean on(String name) {
        return ON.contains(name);
    }

    /** The share of the request's time that a fault should take. */
    static double severity() {
        return SEVERITY;
    }

    /** An amount of work for the chosen severity, if {@code half} takes as long as the rest of the request. */
    static double amount(double half) {
        return half * SEVERITY / (1 - SEVERITY);
    }

    /** As {@link #amount}, for things that can be counted: at least one. */
    static int count(double half) {
        return (int) Math.max(1, Math.round(amount(half)));
    }

    private static Set<String> chosen(String names) {
        Set<String> chosen = new TreeSet<>();
        for (String name : names.split(",")) {
            if (name.isBlank() || name.equals("none")) continue;
            if (!NAMES.contains(name)) throw new IllegalArgumentException("No fault " + name + " in -Dshop.faults");
            chosen.add(name);
        }
        return chosen;
    }
}
