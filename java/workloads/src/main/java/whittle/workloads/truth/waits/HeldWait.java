package whittle.workloads.truth.waits;

import java.util.concurrent.Semaphore;
import whittle.workloads.WorkThread;

/**
 * A wait for something that only one thread at a time can hold.
 *
 * <p>Threads {@code holder-NAME-0} and {@code holder-NAME-1} hold one gate each, alternately, for a pause each time. A gate
 * is released only when the other gate is held. The waiting thread passes the gates alternately, so it finds each gate held
 * and never waits for anything else.
 */
abstract class HeldWait extends Wait {
    /** The thing that is held. */
    interface Gate {
        /** Takes the gate and releases it. */
        void pass();

        /** Takes the gate, runs {@code whileHeld} and releases the gate. */
        void hold(Holding whileHeld) throws InterruptedException;
    }

    /** The work that is done while a gate is held. */
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
