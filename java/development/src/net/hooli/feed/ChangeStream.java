package net.hooli.feed;

import com.acme.load.Load;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.Callable;

/** A database sends its changes to a copy of itself. */
public final class ChangeStream {
    /** The copy of the database: it reads changes and forgets them. */
    static final class Copy extends Thread {
        final ServerSocket door = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());

        Copy() throws IOException {
            super("copy");
            setDaemon(true);
        }

        @Override
        public void run() {
            try (Socket primary = door.accept()) {
                primary.getInputStream().transferTo(OutputStream.nullOutputStream());
            } catch (IOException end) {
                System.err.println(end);
            }
        }
    }

    /** Opens a connection. Tests pass another {@code connecting}. */
    static DataOutputStream open(Callable<Socket> connecting) throws Exception {
        Socket socket = connecting.call();
        socket.setTcpNoDelay(true);
        return new DataOutputStream(socket.getOutputStream()); // [edit]
        // [new] return new DataOutputStream(new java.io.BufferedOutputStream(socket.getOutputStream()));
    }

    /** Sends the columns of a row, with the number of the transaction. */
    static void send(DataOutputStream changes, long transaction, String[] columns) throws IOException {
        changes.writeLong(transaction); // [call]
        changes.writeShort(columns.length); // [call]
        for (String column : columns) changes.writeUTF(column); // [call]
    }

    static String[] row(int key) {
        long noise = key;
        for (int i = 0; i < 1200; i++) noise = noise * 31 + (noise >>> 11);
        return new String[] {"id" + key, "name " + noise % 1000, noise < 0 ? "closed" : "open"};
    }

    public static void main(String[] arguments) throws Exception {
        Copy copy = new Copy();
        copy.start();
        DataOutputStream changes = open(() -> new Socket(copy.door.getInetAddress(), copy.door.getLocalPort()));
        Load.onThreads(1, "replication", () -> () -> {
            for (int key = 0; key < 300; key++) send(changes, key * 3L, row(key));
            changes.flush();
        });
    }
}
