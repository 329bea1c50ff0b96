package whittle.tests.trial;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.whittle.trial.Places;
import java.whittle.trial.SocketOutput;
import org.junit.jupiter.api.Test;

/** Buffers for sockets. */
final class SocketTest {
    private static Tried tried(String method) throws Exception {
        return new Tried("buffer-socket", SocketPrograms.class, method, "getOutputStream");
    }

    /** Two connected sockets. */
    private record Pair(Socket own, Socket peer) implements AutoCloseable {
        static Pair open() throws IOException {
            try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                Socket own = new Socket(server.getInetAddress(), server.getLocalPort());
                return new Pair(own, server.accept());
            }
        }

        @Override
        public void close() throws IOException {
            own.close();
            peer.close();
        }
    }

    /** The program does not flush, and the peer gets the bytes all the same. */
    @Test
    void allBytesArriveInOrder() throws Exception {
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        for (int number = 0; number < 3000; number++) {
            expected.write(("n=" + number + "\n").getBytes("UTF-8"));
        }
        Tried tried = tried("fields");
        try (Pair pair = Pair.open()) {
            tried.after(pair.own, 3000);
            assertArrayEquals(expected.toByteArray(), pair.peer.getInputStream().readNBytes(expected.size()));
        }
        assertEquals(1, tried.count());
        assertEquals(0, Places.holding(tried.number));
    }

    @Test
    void aSocketHasOneBuffer() throws Exception {
        Tried tried = tried("stream");
        try (Pair pair = Pair.open()) {
            assertSame(tried.after(pair.own), tried.after(pair.own));
        }
    }

    /** The fix in the source would lose the bytes, too. */
    @Test
    void bytesThatAreLostAreReported() throws Exception {
        Tried tried = tried("stream");
        try (Pair pair = Pair.open()) {
            OutputStream stream = (OutputStream) tried.after(pair.own);
            synchronized (stream) {
                stream.write(1);
                pair.own.close();
            }
            SocketOutput.sendWaiting();
            // The thread that sends can be at work.
            for (int wait = 0; Places.holding(tried.number) == 0 && wait < 500; wait++) {
                Thread.sleep(10);
            }
            assertEquals(1, Places.holding(tried.number));
            assertThrows(IOException.class, () -> stream.write(2));
        }
    }
}
