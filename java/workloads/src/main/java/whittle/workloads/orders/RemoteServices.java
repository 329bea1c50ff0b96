package whittle.workloads.orders;

import example.calllog.CallLog;
import java.util.concurrent.atomic.LongAdder;

/** The services that orders need. They represent remote services: an answer is computed here, always the same for a key. */
public final class RemoteServices {
    private final CallLog log;
    private final LongAdder calls = new LongAdder();
    private final LongAdder lineHashes = new LongAdder();

    RemoteServices(CallLog log) {
        this.log = log;
    }

    /** The number from 0 to 999 of the service {@code operation} for {@code key}. {@code source}: the caller's own name. */
    public int ask(String source, String operation, long key) {
        String line = log.called(source, operation);
        calls.increment();
        lineHashes.add(line.hashCode());
        long mixed = (key + operation.length()) * 0x9E3779B97F4A7C15L;
        return (int) ((mixed >>> 33) % 1000);
    }

    long callCount() {
        return calls.sum();
    }

    /** A hash of the lines in the log. */
    long lineHash() {
        return lineHashes.sum();
    }
}
