package example.calllog;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** A library that keeps a line for each remote call, with caller and operation. */
public final class CallLog {
    private static final int KEPT_LINES = 1024;

    private final CallSource sources;
    private final AtomicReferenceArray<String> lines = new AtomicReferenceArray<>(KEPT_LINES);
    private final AtomicLong count = new AtomicLong();

    public CallLog(CallSource sources) {
        this.sources = sources;
    }

    /** Keeps a line and returns it. */
    public String called(String source, String operation) {
        String line = sources.nameOf(source) + " -> " + operation;
        lines.set((int) (count.getAndIncrement() % KEPT_LINES), line);
        return line;
    }
}
