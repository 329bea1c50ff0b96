package java.whittle.trial;

import java.io.Flushable;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;

/** The streams of one place whose last flush was left out. It is bounded, and does not keep the streams alive. */
final class Waiting {
    private static final int BUCKETS = 128;
    private static final int WAYS = 8;

    private final Entry[] entries = new Entry[BUCKETS * WAYS];

    private static final class Entry extends WeakReference<Flushable> {
        int leftOut;

        Entry(Flushable stream) {
            super(stream);
        }
    }

    /** True if this flush of the stream must be made: every such call, or the table has no room for the stream. */
    synchronized boolean isTurn(Flushable stream, int every) {
        Entry entry = entry(stream);
        if (entry == null) {
            return true;
        }
        entry.leftOut = (entry.leftOut + 1) % every;
        return entry.leftOut == 0;
    }

    /** The entry of the stream, which can be new. Null: no room. */
    private Entry entry(Flushable stream) {
        int hash = System.identityHashCode(stream);
        int first = ((hash ^ hash >>> 13) & BUCKETS - 1) * WAYS;
        int free = -1;
        for (int slot = first; slot < first + WAYS; slot++) {
            Flushable other = entries[slot] == null ? null : entries[slot].get();
            if (other == stream) {
                return entries[slot];
            }
            boolean isFree = other == null || entries[slot].leftOut == 0;
            free = isFree ? slot : free;
        }
        if (free < 0) {
            return null;
        }
        entries[free] = new Entry(stream);
        return entries[free];
    }

    /** Makes the flushes that were left out. */
    void flush() {
        for (Flushable stream : take()) {
            try {
                stream.flush();
            } catch (IOException | RuntimeException closed) {
                // The stream was closed, so nothing waits.
            }
        }
    }

    private synchronized List<Flushable> take() {
        List<Flushable> streams = new ArrayList<>();
        for (int slot = 0; slot < entries.length; slot++) {
            Flushable stream = entries[slot] == null || entries[slot].leftOut == 0 ? null : entries[slot].get();
            if (stream != null) {
                streams.add(stream);
            }
            entries[slot] = null;
        }
        return streams;
    }
}
