package whittle.workloads.orders;

import example.calllog.CallLog;
import java.util.concurrent.atomic.LongAdder;

/** The services that orders need. They stand for others behind a network: an answer is made up here, the same each time. */
public final class RemoteServices {
    private final CallLog log;
    private final LongAdder calls = new LongAdder();
    private final LongAdder lineHashes = new LongAdder();

    RemoteServices(CallLog log) {
        this.log = log;
    }

    /** A number from 0 to 999 that the service {@code operation} has for {@code key}. The caller names itself. */
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

    /** Equal if the log got the same lines. */
    long lineHash() {
        return lineHashes.sum();
    }
}
