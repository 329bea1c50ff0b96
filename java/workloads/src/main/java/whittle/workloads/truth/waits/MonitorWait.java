package whittle.workloads.truth.waits;

/** Enters a monitor that another thread holds. */
final class MonitorWait extends HeldWait {
    MonitorWait(long pauseMs) {
        super("monitor", pauseMs, new Monitor(), new Monitor());
    }

    private static final class Monitor implements Gate {
        private long passedCount;

        @Override
        public synchronized void pass() {
            passedCount++;
        }

        @Override
        public synchronized void hold(Holding whileHeld) throws InterruptedException {
            whileHeld.run();
        }
    }
}
