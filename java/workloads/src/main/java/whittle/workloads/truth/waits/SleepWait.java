package whittle.workloads.truth.waits;

/** Sleeps with {@code Thread.sleep}. The JVM then waits on a futex with a timeout. */
final class SleepWait extends Wait {
    private final long pauseMs;

    SleepWait(long pauseMs) {
        super("sleep", "futex");
        this.pauseMs = pauseMs;
    }

    @Override
    public void waitOnce() throws InterruptedException {
        if (!isEnding()) {
            sleepForever();
        }
        Thread.sleep(pauseMs);
    }
}
