package whittle.workloads.truth.waits;

import java.util.concurrent.Semaphore;
import whittle.workloads.WorkThread;

/**
 * A wait for something that one thread at a time can hold.
 *
 * <p>Threads {@code holder-NAME-0} and {@code holder-NAME-1} hold one gate each, in turn, for a pause each time; a gate is let
 * go only once the other one is held. So the waiting thread, which passes the gates in turn, finds each of them held and
 * never waits for anything else.
 */
abstract class HeldWait extends Wait {
    /** What is held. */
    interface Gate {
        /** Takes it and lets it go. */
        void pass();

        /** Takes it, runs {@code whileHeld} and lets it go. */
        void hold(Holding whileHeld) throws InterruptedException;
    }

    /** What is done meanwhile. */
    interface Holding {
        void run() throws InterruptedException;
    }

    private final long pauseMs;
    private final Gate[] gates;
    private final Semaphore[] turns = {new Semaphore(0), new Semaphore(0)};
    private final Semaphore[] areHeld = {new Semaphore(0), new Semaphore(0)};
    private int next;

    HeldWait(String name, long pauseMs, Gate first, Gate second) {
        super(name, "futex");
        this.pauseMs = pauseMs;
        gates = new Gate[] {first, second};
    }

    @Override
    public final void start() throws InterruptedException {
        for (int i = 0; i < gates.length; i++) {
            int number = i;
            new WorkThread("holder-" + name() + "-" + i, () -> holdInTurn(number)).startDaemon();
        }
        turns[0].release();
        areHeld[0].acquire();
    }

    private void holdInTurn(int number) throws InterruptedException {
        while (true) {
            turns[number].acquire();
            gates[number].hold(() -> {
                areHeld[number].release();
                Thread.sleep(pauseMs);
                if (!isEnding()) {
                    sleepForever();
                }
                turns[1 - number].release();
                areHeld[1 - number].acquire();
            });
        }
    }

    @Override
    public final void waitOnce() {
        gates[next].pass();
        next = 1 - next;
    }
}
