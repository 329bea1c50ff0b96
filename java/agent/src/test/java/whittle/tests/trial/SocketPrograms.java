package whittle.tests.trial;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;

/** Small programs that write to sockets. */
final class SocketPrograms {
    private SocketPrograms() {
    }

    static void fields(Socket socket, int count) throws IOException {
        OutputStream out = socket.getOutputStream();
        for (int number = 0; number < count; number++) {
            out.write(("n=" + number).getBytes("UTF-8"));
            out.write('\n');
        }
    }

    static OutputStream stream(Socket socket) throws IOException {
        return socket.getOutputStream();
    }
}
