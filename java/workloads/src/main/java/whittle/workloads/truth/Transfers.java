package whittle.workloads.truth;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Exchanger;
import java.util.concurrent.locks.LockSupport;
import whittle.workloads.Arguments;
import whittle.workloads.Lines;
import whittle.workloads.WorkThread;

/**
 * Checks that bytes arrive. A profiler's signals must not lose or repeat bytes, and must not make a read, a write or a wait
 * fail. Each way has a thread that sends and a thread that receives and compares. Both wait for each other most of the time.
 *
 * <p>See README.md for arguments and output.
 */
public final class Transfers {
    private static final int LARGEST_BLOCK = 200_000;
    private static final long PAUSE_NS = 1_000_000;

    private final long durationNs;

    private Transfers(long durationNs) {
        this.durationNs = durationNs;
    }

    public static void main(String[] args) throws Exception {
        Transfers program = new Transfers(Arguments.read(args, "seconds").secondsAsNanos(4));
        List<Way> ways = List.of(program.socket(), program.pipe(), program.process(), program.exchange());
        for (Way way : ways) {
            way.threads.forEach(WorkThread::start);
        }
        long failures = 0;
        for (Way way : ways) {
            for (WorkThread thread : way.threads) {
                thread.join();
            }
            failures += way.sentBytes == way.equalBytes ? 0 : 1;
            Lines.print("way=%s sent=%d equal=%d", way.name, way.sentBytes, way.equalBytes);
        }
        Lines.print("failures=%d", failures);
        System.exit(failures == 0 ? 0 : 1);
    }

    private Way socket() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
            return new Way("socket", client.getOutputStream(), server.accept().getInputStream());
        }
    }

    private Way pipe() throws IOException {
        Pipe pipe = Pipe.open();
        return new Way("pipe", Channels.newOutputStream(pipe.sink()), Channels.newInputStream(pipe.source()));
    }

    private Way process() throws IOException {
        Process cat = new ProcessBuilder("cat").start();
        return new Way("process", cat.getOutputStream(), cat.getInputStream());
    }

    /** The threads give each other one block at a time. */
    private Way exchange() {
        Exchanger<byte[]> exchanger = new Exchanger<>();
        OutputStream sink = new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                write(new byte[] {(byte) value}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int start, int length) throws IOException {
                exchange(exchanger, ByteBuffer.allocate(length).put(bytes, start, length).array());
            }

            @Override
            public void close() throws IOException {
                exchange(exchanger, new byte[0]);
            }
        };
        InputStream source = new InputStream() {
            @Override
            public int read() {
                throw new UnsupportedOperationException();
            }

            @Override
            public int read(byte[] bytes, int start, int length) throws IOException {
                byte[] block = exchange(exchanger, null);
                System.arraycopy(block, 0, bytes, start, block.length);
                return block.length == 0 ? -1 : block.length;
            }
        };
        return new Way("exchange", sink, source);
    }

    private static byte[] exchange(Exchanger<byte[]> exchanger, byte[] block) throws IOException {
        try {
            return exchanger.exchange(block);
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    /** A way from one thread to another, and its results. They are read after both threads have ended. */
    private final class Way {
        private final String name;
        private final OutputStream sink;
        private final InputStream source;
        private final List<WorkThread> threads = new ArrayList<>();
        private long sentBytes;
        private long equalBytes;

        Way(String name, OutputStream sink, InputStream source) {
            this.name = name;
            this.sink = sink;
            this.source = source;
            threads.add(new WorkThread("send-" + name, this::send));
            threads.add(new WorkThread("receive-" + name, this::receive));
        }

        private void send() throws IOException {
            Random bytes = new Random(name.hashCode());
            Random lengths = new Random(1);
            long endNs = System.nanoTime() + durationNs;
            while (System.nanoTime() < endNs) {
                byte[] block = new byte[1 + lengths.nextInt(LARGEST_BLOCK)];
                for (int i = 0; i < block.length; i++) {
                    block[i] = (byte) bytes.nextInt();
                }
                sink.write(block);
                sink.flush();
                sentBytes += block.length;
                LockSupport.parkNanos(PAUSE_NS);
            }
            sink.close();
        }

        private void receive() throws IOException {
            Random bytes = new Random(name.hashCode());
            byte[] block = new byte[LARGEST_BLOCK];
            for (int length; (length = source.read(block, 0, block.length)) >= 0; ) {
                for (int i = 0; i < length; i++) {
                    equalBytes += block[i] == (byte) bytes.nextInt() ? 1 : 0;
                }
            }
        }
    }
}
