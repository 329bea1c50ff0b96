package com.acme.events;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.Security;

/** The hosts of the suppliers, whose addresses stand in each quote. */
final class Suppliers {
    private static final String HOST = System.getProperty("supplier.host", "localhost");

    private final boolean everyTime;
    private final Share share;
    private final String address;

    Suppliers(Settings settings) throws UnknownHostException {
        everyTime = settings.has("dns-on-loop");
        share = new Share(settings);
        // The JVM would keep an address for 30 s and so hide what a look-up costs.
        if (everyTime) Security.setProperty("networkaddress.cache.ttl", "0");
        address = InetAddress.getByName(HOST).getHostAddress();
    }

    String address() throws UnknownHostException {
        if (!everyTime) return address;
        share.request();
        String found = address;
        while (share.due()) {
            long start = System.nanoTime();
            found = InetAddress.getByName(HOST).getHostAddress(); // [call dns-on-loop]
            share.spendSince(start);
        }
        return found;
    }
}
