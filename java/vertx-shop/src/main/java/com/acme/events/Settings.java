package com.acme.events;

import java.util.Set;
import java.util.TreeSet;

/** The options of the service, read from system properties. */
record Settings(Set<String> faults, double severity, int port, int loops, int delayMillis) {
    private static final Set<String> KNOWN = Set.of(
            "sleep-on-loop", "file-on-loop", "lock-on-loop", "heavy-json-on-loop", "blocking-get-on-loop",
            "dns-on-loop", "one-worker");

    Settings {
        if (severity <= 0 || severity >= 1) throw new IllegalArgumentException("severity is between 0 and 1");
        for (String fault : faults) if (!KNOWN.contains(fault)) throw new IllegalArgumentException("no fault " + fault);
    }

    static Settings read() {
        Set<String> faults = new TreeSet<>();
        for (String fault : System.getProperty("faults", "").split(",")) {
            if (!fault.isBlank()) faults.add(fault.strip());
        }
        double severity = Double.parseDouble(System.getProperty("severity", "0.5"));
        return new Settings(faults, severity, Integer.getInteger("port", 0), Integer.getInteger("loops", 2),
                Integer.getInteger("payment.delay", 20));
    }

    boolean has(String fault) {
        return faults.contains(fault);
    }

    /** The time per request that is {@code severity} of the whole, if the rest is one call of the payment service. */
    long faultNanos() {
        return Math.round(delayMillis * 1e6 * severity / (1 - severity));
    }

    long faultMillis() {
        return Math.max(1, Math.round(faultNanos() / 1e6));
    }
}
