package wrong;

import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.security.Security;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;

/** Against `buffer-socket` and `address-once`. */
final class Sockets {
    private static final Path HOSTS = Path.of("hosts").toAbsolutePath();

    private Sockets() {
    }

    /** Names come from a file, and are not cached. The JDK reads these settings once. */
    static void prepare() {
        Security.setProperty("networkaddress.cache.ttl", "0");
        System.setProperty("jdk.net.hosts.file", HOSTS.toString());
    }

    static void addTo(Map<String, Supplier<Case>> cases) {
        cases.put("socket-closed-without-a-flush", Closed::new);
        cases.put("socket-with-an-ended-output", EndedOutput::new);
        cases.put("socket-that-nobody-observes", Unobserved::new);
        cases.put("address-that-moves", MovingAddress::new);
    }

    /** A peer that counts the bytes that it gets. */
    private static final class Peer {
        private final ServerSocket server;
        private final FutureTask<Integer> received;

        Peer() throws Exception {
            server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
            received = new FutureTask<>((Callable<Integer>) this::count);
            new Thread(received).start();
        }

        Socket connected() throws Exception {
            return new Socket(server.getInetAddress(), server.getLocalPort());
        }

        private int count() throws Exception {
            try (Socket socket = server.accept()) {
                InputStream in = socket.getInputStream();
                int count = 0;
                byte[] block = new byte[8192];
                for (int length = in.read(block); length >= 0; length = in.read(block)) {
                    count += length;
                }
                return count;
            }
        }

        int received() throws Exception {
            int count = received.get();
            server.close();
            return count;
        }
    }

    /** Closes the socket, not its stream. */
    static final class Closed implements Case {
        @Override
        public String round() throws Exception {
            Peer peer = new Peer();
            try (Socket socket = peer.connected()) {
                OutputStream out = socket.getOutputStream();
                for (int count = 0; count < 2000; count++) {
                    out.write(count);
                }
            }
            return peer.received() + " bytes";
        }
    }

    /** Ends its output, and waits for the end of the other direction. */
    static final class EndedOutput implements Case {
        @Override
        public String round() throws Exception {
            Peer peer = new Peer();
            try (Socket socket = peer.connected()) {
                OutputStream out = socket.getOutputStream();
                for (int count = 0; count < 2000; count++) {
                    out.write(count);
                }
                socket.shutdownOutput();
                return socket.getInputStream().read() + " after " + peer.received() + " bytes";
            }
        }
    }

    /** Nobody looks at what the peer gets, and the program ends at once. */
    static final class Unobserved implements Case {
        @Override
        public String round() throws Exception {
            Peer peer = new Peer();
            try (Socket socket = peer.connected()) {
                OutputStream out = socket.getOutputStream();
                for (int count = 0; count < 2000; count++) {
                    out.write(count);
                }
            }
            return "sent";
        }
    }

    /** The service gets another address each second round. */
    static final class MovingAddress implements Case {
        private int round;

        @Override
        public String round() throws Exception {
            java.nio.file.Files.writeString(HOSTS, "127.0.0." + (1 + round++ / 2 % 200) + " service.example\n");
            String address = "";
            for (int count = 0; count < 100; count++) {
                address = address();
            }
            return address;
        }

        private static String address() throws Exception {
            return InetAddress.getByName("service.example").getHostAddress();
        }
    }
}
