package java.whittle.trial;

import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.atomic.AtomicBoolean;

/** Passes on everything that a buffer writes, and knows whether the stream was closed. */
final class ClosedOutput extends OutputStream {
    private final OutputStream stream;
    private final int place;
    private final AtomicBoolean isClosed = new AtomicBoolean();

    ClosedOutput(OutputStream stream, int place) {
        this.stream = stream;
        this.place = place;
        Places.opened(place);
    }

    @Override
    public void write(int value) throws IOException {
        stream.write(value);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        stream.write(bytes, offset, length);
    }

    @Override
    public void flush() throws IOException {
        stream.flush();
    }

    @Override
    public void close() throws IOException {
        if (isClosed.compareAndSet(false, true)) {
            Places.closed(place);
        }
        stream.close();
    }
}
