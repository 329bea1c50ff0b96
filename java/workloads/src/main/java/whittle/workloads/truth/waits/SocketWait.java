package whittle.workloads.truth.waits;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** Reads from a TCP connection. With a time limit, the JVM waits in {@code poll} before it reads. */
final class SocketWait extends AnsweredWait {
    private final Socket reading;
    private final Socket answering;

    SocketWait(long pauseMs) throws IOException {
        this("socket", "socket", pauseMs, 0);
    }

    private SocketWait(String name, String reason, long pauseMs, int limitMs) throws IOException {
        super(name, reason, pauseMs);
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            reading = new Socket(server.getInetAddress(), server.getLocalPort());
            answering = server.accept();
        }
        reading.setSoTimeout(limitMs);
    }

    static SocketWait withTimeLimit(long pauseMs) throws IOException {
        return new SocketWait("socket-timeout", "poll", pauseMs, 600_000);
    }

    @Override
    void answer() throws IOException {
        answering.getOutputStream().write(1);
    }

    @Override
    public void waitOnce() throws IOException {
        if (reading.getInputStream().read() < 0) {
            throw new EOFException("the connection has ended");
        }
    }
}
