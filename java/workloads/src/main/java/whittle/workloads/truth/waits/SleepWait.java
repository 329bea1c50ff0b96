package whittle.workloads.truth.waits;

/** Sleeps by {@code Thread.sleep}, which the JVM does on a futex with a timeout. */
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
