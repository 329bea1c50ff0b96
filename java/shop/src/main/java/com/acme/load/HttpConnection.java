package com.acme.load;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;

/** One connection to the shop, kept open. Understands as much of HTTP/1.1 as the shop needs. */
final class HttpConnection {
    private static final int TIMEOUT_MILLIS = 30_000;

    private final int port;
    private Socket socket;
    private InputStream in;

    HttpConnection(int port) {
        this.port = port;
    }

    /** Sends a request and reads the whole answer. Returns whether that worked, with a status below 400. */
    boolean call(byte[] request) {
        try {
            if (socket == null) connect();
            socket.getOutputStream().write(request);
            return readAnswer() < 400;
        } catch (IOException e) {
            close();
            return false;
        }
    }

    private void connect() throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(TIMEOUT_MILLIS);
        in = new BufferedInputStream(socket.getInputStream(), 16 << 10);
    }

    private void close() {
        try {
            if (socket != null) socket.close();
        } catch (IOException e) {
            // The next request makes a new connection.
        }
        socket = null;
    }

    private int readAnswer() throws IOException {
        int status = Integer.parseInt(line().split(" ")[1]);
        long length = 0;
        boolean chunked = false;
        boolean closes = false;
        for (String header = line(); !header.isEmpty(); header = line()) {
            String lower = header.toLowerCase(java.util.Locale.ROOT);
            if (lower.startsWith("content-length:")) length = Long.parseLong(header.substring(15).trim());
            if (lower.startsWith("transfer-encoding:")) chunked = lower.contains("chunked");
            if (lower.startsWith("connection:")) closes = lower.contains("close");
        }
        if (chunked) {
            skipChunks();
        } else {
            in.skipNBytes(length);
        }
        if (closes) close();
        return status;
    }

    private void skipChunks() throws IOException {
        while (true) {
            long length = Long.parseLong(line().trim(), 16);
            in.skipNBytes(length);
            line();
            if (length == 0) return;
        }
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder(64);
        while (true) {
            int next = in.read();
            if (next < 0) throw new EOFException("The shop closed the connection");
            if (next == '\n') return line.toString();
            if (next != '\r') line.append((char) next);
        }
    }
}
