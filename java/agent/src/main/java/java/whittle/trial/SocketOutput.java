package java.whittle.trial;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ref.WeakReference;
import java.net.Socket;
import java.util.Map;
import java.util.Queue;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A buffer for the stream of a socket. There is one for each socket, even if the program asks for the stream several times. A thread
 * sends bytes that the program does not flush, so the peer never waits for them forever.
 */
public final class SocketOutput extends BufferedOutputStream {
    private static final int SIZE_BYTES = 8192;
    private static final long PERIOD_NS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final Map<Socket, WeakReference<SocketOutput>> OF_SOCKETS = new WeakHashMap<>();
    /** Streams with bytes that wait. They stay alive even if the program forgets them. */
    private static final Queue<SocketOutput> WAITING = new ConcurrentLinkedQueue<>();
    private static boolean hasThread;

    private final int place;
    private boolean isWaiting;
    /** The next write throws it, as it would without the buffer. */
    private IOException failure;

    private SocketOutput(OutputStream stream, int place) {
        super(stream, SIZE_BYTES);
        this.place = place;
    }

    /** Instead of the method of `Socket`. */
    public static OutputStream of(Socket socket, int place) throws IOException {
        OutputStream stream = socket.getOutputStream();
        Places.count(place);
        synchronized (OF_SOCKETS) {
            WeakReference<SocketOutput> known = OF_SOCKETS.get(socket);
            SocketOutput output = known == null ? null : known.get();
            if (output == null) {
                output = new SocketOutput(stream, place);
                OF_SOCKETS.put(socket, new WeakReference<>(output));
                startThread();
            }
            return output;
        }
    }

    private static void startThread() {
        if (hasThread) {
            return;
        }
        hasThread = true;
        Thread thread = new Thread(SocketOutput::sendForever, "whittle-sockets");
        thread.setDaemon(true);
        thread.setContextClassLoader(null);
        thread.start();
    }

    private static void sendForever() {
        while (true) {
            LockSupport.parkNanos(PERIOD_NS);
            sendWaiting();
        }
    }

    /** Sends the bytes of all streams that wait. */
    public static void sendWaiting() {
        for (int rest = WAITING.size(); rest > 0; rest--) {
            SocketOutput output = WAITING.poll();
            if (output != null) {
                output.send();
            }
        }
    }

    private synchronized void send() {
        if (count == 0) {
            isWaiting = false;
            return;
        }
        try {
            super.flush();
            isWaiting = false;
        } catch (IOException closed) {
            // Without the buffer, the program would have sent the bytes before, or it would have got this exception.
            failure = closed;
            count = 0;
            Places.holds(place, true);
        }
    }

    @Override
    public synchronized void write(int value) throws IOException {
        requireOpen();
        super.write(value);
        await();
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int length) throws IOException {
        requireOpen();
        super.write(bytes, offset, length);
        await();
    }

    private void requireOpen() throws IOException {
        if (failure != null) {
            throw new IOException(failure.getMessage(), failure);
        }
    }

    private void await() {
        if (!isWaiting && count > 0) {
            isWaiting = true;
            WAITING.add(this);
        }
    }
}
