package wrong;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Against `sleep-in-spin`. */
final class Waits {
    private Waits() {
    }

    static void addTo(Map<String, Supplier<Case>> cases) {
        cases.put("state-of-a-spinning-thread", WatchedSpin::new);
        cases.put("permit-before-a-spin", PermitBefore::new);
        cases.put("short-and-long-pauses", Pauses::new);
    }

    /** Another thread looks whether the spinning thread is awake. */
    static final class WatchedSpin implements Case {
        @Override
        public String round() throws Exception {
            Watch watch = new Watch(Thread.currentThread());
            watch.start();
            spin(watch);
            watch.join();
            return "seen asleep: " + watch.hasSeenSleep;
        }

        private static void spin(Watch watch) {
            while (!watch.isEnded) {
                Thread.yield();
            }
        }
    }

    /** Looks several times, because a thread that sleeps most of the time is awake in between. */
    private static final class Watch extends Thread {
        private static final int LOOKS_COUNT = 8;
        private final Thread watched;
        private boolean hasSeenSleep;
        private volatile boolean isEnded;

        Watch(Thread watched) {
            this.watched = watched;
        }

        @Override
        public void run() {
            try {
                for (int look = 0; look < LOOKS_COUNT; look++) {
                    Thread.sleep(1);
                    hasSeenSleep |= watched.getState() == State.TIMED_WAITING;
                }
            } catch (InterruptedException notExpected) {
                throw new IllegalStateException(notExpected);
            } finally {
                isEnded = true;
            }
        }
    }

    /** The thread is woken before it spins, so it does not wait afterwards. */
    static final class PermitBefore implements Case {
        private static final int SPINS_COUNT = 500;
        private static final long WAIT_NS = TimeUnit.MILLISECONDS.toNanos(400);

        @Override
        public String round() {
            LockSupport.unpark(Thread.currentThread());
            spin();
            long begin = System.nanoTime();
            LockSupport.parkNanos(WAIT_NS);
            return "woken early: " + (System.nanoTime() - begin < WAIT_NS / 2);
        }

        private static void spin() {
            for (int count = 0; count < SPINS_COUNT; count++) {
                Thread.yield();
            }
        }
    }

    /** Counts pauses that end early. A pause of no time leaves the wake-up for the next one. */
    static final class Pauses implements Case {
        private static final int SHORT_COUNT = 200;
        private static final long SHORT_NS = TimeUnit.MICROSECONDS.toNanos(20);
        private static final long LONG_NS = TimeUnit.MILLISECONDS.toNanos(2);

        @Override
        public String round() {
            for (int count = 0; count < SHORT_COUNT; count++) {
                pause(SHORT_NS);
            }
            LockSupport.unpark(Thread.currentThread());
            pause(0);
            int early = isEarly(200 * LONG_NS) + isEarly(LONG_NS);
            return early + " of 2 pauses ended early";
        }

        private static int isEarly(long timeNs) {
            long begin = System.nanoTime();
            pause(timeNs);
            return System.nanoTime() - begin < timeNs / 2 ? 1 : 0;
        }

        private static void pause(long timeNs) {
            LockSupport.parkNanos(timeNs);
        }
    }
}
