package whittle.workloads.truth.waits;

import java.util.concurrent.locks.ReentrantLock;

/** Takes a {@code ReentrantLock} that another thread holds. */
final class LockWait extends HeldWait {
    LockWait(long pauseMs) {
        super("lock", pauseMs, new Lock(), new Lock());
    }

    private static final class Lock implements Gate {
        private final ReentrantLock lock = new ReentrantLock();

        @Override
        public void pass() {
            lock.lock();
            lock.unlock();
        }

        @Override
        public void hold(Holding whileHeld) throws InterruptedException {
            lock.lock();
            try {
                whileHeld.run();
            } finally {
                lock.unlock();
            }
        }
    }
}
