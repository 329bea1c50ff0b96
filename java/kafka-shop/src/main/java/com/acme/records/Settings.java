package com.acme.records;

import java.util.Set;
import java.util.TreeSet;

/** The options of the consumer, read from system properties. */
record Settings(Set<String> faults, double severity, int threads) {
    private static final Set<String> KNOWN = Set.of(
            "commit-per-record", "sync-send", "sleep-in-poll", "parse-per-record", "lock-shared", "fsync-per-record",
            "flush-per-record");

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
        return new Settings(faults, severity, Integer.getInteger("threads", 4));
    }

    boolean has(String fault) {
        return faults.contains(fault);
    }
}
