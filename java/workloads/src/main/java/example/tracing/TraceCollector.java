package example.tracing;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** A library that keeps the start of each message, without personal data, so that people can read it later. */
public final class TraceCollector {
    private static final int KEPT_MESSAGES = 256;
    private static final int KEPT_CHARACTERS = 400;

    private final Masking masking;
    private final AtomicReferenceArray<String> kept = new AtomicReferenceArray<>(KEPT_MESSAGES);
    private final AtomicLong count = new AtomicLong();

    public TraceCollector(Masking masking) {
        this.masking = masking;
    }

    /** Keeps a message. */
    public void received(String message) {
        String start = masking.maskedStart(message, KEPT_CHARACTERS);
        kept.set((int) (count.getAndIncrement() % KEPT_MESSAGES), start);
    }

    /** The part of a message that is kept. */
    public String keptOf(String message) {
        return masking.maskedStart(message, KEPT_CHARACTERS);
    }
}
