package com.stonecrop.ticker;

import com.acme.load.Load;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Sends quotes to a peer over a connection that stays open. */
public final class QuoteLink {
    record Quote(int paper, long price, int size, byte side) {}

    /** A way to the peer. */
    abstract static class Link {
        private final DataOutputStream wire;

        Link(OutputStream wire) {
            this.wire = new DataOutputStream(wire); // [edit]
            // [new] this.wire = new DataOutputStream(new java.io.BufferedOutputStream(wire, 16384));
        }

        void send(List<Quote> quotes) throws IOException {
            wire.writeShort(quotes.size());
            for (Quote quote : quotes) write(wire, quote);
            wire.flush();
        }

        abstract void write(DataOutputStream wire, Quote quote) throws IOException;
    }

    /** The first version of the protocol. */
    static final class FirstVersion extends Link {
        FirstVersion(OutputStream wire) {
            super(wire);
        }

        @Override
        void write(DataOutputStream wire, Quote quote) throws IOException {
            wire.writeLong(quote.price()); // [call]
            wire.writeLong((long) quote.paper() << 40 | (long) quote.size() << 8 | quote.side()); // [call]
        }
    }

    private final Link link;
    private final double[] prices = new double[200];
    private int tick;

    QuoteLink(Link link) {
        this.link = link;
        Arrays.setAll(prices, i -> 40 + i % 60);
    }

    List<Quote> market() {
        List<Quote> quotes = new ArrayList<>(prices.length);
        for (int step = 0; step < 60; step++)
            for (int i = 0; i < prices.length; i++) {
                tick++;
                prices[i] = Math.max(1, prices[i] + Math.sin(tick * 0.7 + i) * 0.04 + Math.cos(tick * 0.01) * 0.01);
            }
        for (int i = 0; i < prices.length; i++)
            quotes.add(new Quote(i, Math.round(prices[i] * 10000), 100 + tick % 50, (byte) (tick & 1)));
        quotes.sort((a, b) -> Long.compare(b.price(), a.price()));
        return quotes;
    }

    void tick() throws IOException {
        List<Quote> quotes = market();
        link.send(quotes.subList(0, 60));
        Load.kept = quotes;
    }

    static void swallow(ServerSocket server) {
        byte[] space = new byte[65536];
        try (Socket peer = server.accept(); InputStream in = peer.getInputStream()) {
            for (long sum = 0; ; ) {
                int count = in.read(space);
                if (count < 0) return;
                sum += count;
            }
        } catch (IOException ended) {
            System.err.println("peer: " + ended);
        }
    }

    public static void main(String[] arguments) throws Exception {
        ServerSocket server = new ServerSocket(0, 4, InetAddress.getLoopbackAddress());
        for (int i = 0; i < 2; i++) {
            Thread peer = new Thread(() -> swallow(server), "peer-" + i);
            peer.setDaemon(true);
            peer.start();
        }
        Load.onThreads(2, "ticker", () -> {
            try {
                Socket socket = new Socket(server.getInetAddress(), server.getLocalPort());
                socket.setTcpNoDelay(true);
                return new QuoteLink(new FirstVersion(socket.getOutputStream()))::tick;
            } catch (IOException failure) {
                throw new java.io.UncheckedIOException(failure);
            }
        });
    }
}
