package com.acme.events;

/** Deals out the time of a fault, so that it takes its share of the requests' time. Each event loop has its own. */
final class Share {
    private final long nanosPerRequest;
    private long credit;

    Share(Settings settings) {
        nanosPerRequest = settings.faultNanos();
    }

    /** A request begins: the fault may take more time. */
    void request() {
        credit = Math.min(credit + nanosPerRequest, nanosPerRequest);
    }

    boolean due() {
        return credit > 0;
    }

    void spendSince(long start) {
        credit -= System.nanoTime() - start;
    }
}
