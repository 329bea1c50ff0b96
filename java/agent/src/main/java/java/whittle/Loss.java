package java.whittle;

import java.util.concurrent.atomic.AtomicLong;

/** What the agent could not record, by reason. The program itself never sees a loss. */
public enum Loss {
    /** A call of the agent failed. */
    FAILED_CALL("failed-calls"),
    /** The table of tasks that wait for a thread was full, and a task lost its item. */
    EVICTED_TASK("evicted-tasks"),
    /** The table of prepared statements was full, and a statement lost its SQL. */
    EVICTED_STATEMENT("evicted-statements"),
    /** The table of spans was full, and a span or its scope lost its item. */
    EVICTED_SPAN("evicted-spans"),
    /** The table of threads was full, and a thread has no item. */
    THREAD_WITHOUT_PLACE("threads-without-place"),
    /** The same object was submitted several times for several items, so the item of one run is unknown. */
    SHARED_TASK("shared-tasks");

    private final String title;
    private final AtomicLong count = new AtomicLong();

    Loss(String title) {
        this.title = title;
    }

    /** Counts a loss. Returns the token that means "nothing changed". */
    public long count() {
        count.incrementAndGet();
        return 0;
    }

    /** The number of losses since the agent started. */
    public long counted() {
        return count.get();
    }

    /** The counts as lines of the report. A loss that did not happen has no line. */
    public static String lines() {
        StringBuilder lines = new StringBuilder();
        for (Loss loss : values()) {
            if (loss.counted() > 0) {
                lines.append("lost\t").append(loss.title).append('\t').append(loss.counted()).append('\n');
            }
        }
        return lines.toString();
    }

    /** Starts to count from 0. */
    public static void clear() {
        for (Loss loss : values()) {
            loss.count.set(0);
        }
    }
}
