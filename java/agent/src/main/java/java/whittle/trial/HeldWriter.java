package java.whittle.trial;

import java.io.BufferedWriter;
import java.io.FilterWriter;
import java.io.IOException;
import java.io.Writer;

/** A buffer that knows whether the program would lose characters if the JVM ended now. */
final class HeldWriter extends BufferedWriter {
    private final int place;
    private final Passed passed;
    private long written;
    private boolean isHolding;

    HeldWriter(Writer writer, int size, int place) {
        this(new Passed(writer), size, place);
    }

    private HeldWriter(Passed passed, int size, int place) {
        super(passed, size);
        this.passed = passed;
        this.place = place;
    }

    /** Counts what leaves the buffer. */
    private static final class Passed extends FilterWriter {
        long count;

        Passed(Writer writer) {
            super(writer);
        }

        @Override
        public void write(int value) throws IOException {
            count++;
            out.write(value);
        }

        @Override
        public void write(char[] characters, int offset, int length) throws IOException {
            count += length;
            out.write(characters, offset, length);
        }

        @Override
        public void write(String text, int offset, int length) throws IOException {
            count += length;
            out.write(text, offset, length);
        }
    }

    @Override
    public void write(int value) throws IOException {
        synchronized (lock) {
            super.write(value);
            written++;
            note();
        }
    }

    @Override
    public void write(char[] characters, int offset, int length) throws IOException {
        synchronized (lock) {
            super.write(characters, offset, length);
            written += length;
            note();
        }
    }

    /** A negative length writes nothing. */
    @Override
    public void write(String text, int offset, int length) throws IOException {
        synchronized (lock) {
            super.write(text, offset, length);
            written += Math.max(length, 0);
            note();
        }
    }

    @Override
    public void flush() throws IOException {
        synchronized (lock) {
            super.flush();
            note();
        }
    }

    /** If this fails, the program knows it, as it does without a buffer. */
    @Override
    public void close() throws IOException {
        synchronized (lock) {
            try {
                super.close();
            } finally {
                written = passed.count;
                note();
            }
        }
    }

    private void note() {
        boolean isHoldingNow = written != passed.count;
        if (isHolding != isHoldingNow) {
            isHolding = isHoldingNow;
            Places.holds(place, isHoldingNow);
        }
    }
}
