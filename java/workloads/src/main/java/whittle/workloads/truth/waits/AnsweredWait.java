package whittle.workloads.truth.waits;

import java.io.IOException;
import whittle.workloads.WorkThread;

/** A wait for a byte from another thread: {@code answer-NAME} sends a byte after each pause. */
abstract class AnsweredWait extends Wait {
    private final long pauseMs;

    AnsweredWait(String name, String reason, long pauseMs) {
        super(name, reason);
        this.pauseMs = pauseMs;
    }

    /** Sends one byte. */
    abstract void answer() throws IOException;

    @Override
    public final void start() {
        new WorkThread("answer-" + name(), this::answerAll).startDaemon();
    }

    private void answerAll() throws IOException, InterruptedException {
        while (true) {
            Thread.sleep(pauseMs);
            if (!isEnding()) {
                sleepForever();
            }
            answer();
        }
    }
}
