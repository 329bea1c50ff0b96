package whittle.workloads.truth.waits;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** Reads from a TCP connection. */
final class SocketWait extends AnsweredWait {
    private final Socket reading;
    private final Socket answering;

    SocketWait(long pauseMs) throws IOException {
        super("socket", "socket", pauseMs);
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            reading = new Socket(server.getInetAddress(), server.getLocalPort());
            answering = server.accept();
        }
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
