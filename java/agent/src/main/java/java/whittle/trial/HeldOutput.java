package java.whittle.trial;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** A buffer that knows whether the program would lose bytes if the JVM ended now. */
final class HeldOutput extends BufferedOutputStream {
    private final int place;
    private boolean isHolding;

    HeldOutput(OutputStream stream, int size, int place) {
        super(stream, size);
        this.place = place;
    }

    @Override
    public synchronized void write(int value) throws IOException {
        super.write(value);
        note(count > 0);
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int length) throws IOException {
        super.write(bytes, offset, length);
        note(count > 0);
    }

    @Override
    public synchronized void flush() throws IOException {
        super.flush();
        note(count > 0);
    }

    /** If this fails, the program knows it, as it does without a buffer. */
    @Override
    public void close() throws IOException {
        try {
            super.close();
        } finally {
            closed();
        }
    }

    private synchronized void closed() {
        note(false);
    }

    private void note(boolean isHoldingNow) {
        if (isHolding != isHoldingNow) {
            isHolding = isHoldingNow;
            Places.holds(place, isHoldingNow);
        }
    }
}
