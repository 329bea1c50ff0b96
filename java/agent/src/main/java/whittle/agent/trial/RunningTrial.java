package whittle.agent.trial;

import java.io.File;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.util.Collections;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.whittle.trial.Places;
import java.whittle.trial.Sizes;
import java.whittle.trial.Turns;

/**
 * A trial in a program that was already running. The classes change once, and again when the trial ends. Between, the changed methods
 * execute their old and their new code in turns: A B B A.
 *
 * <p>The report has a line for each whole turn, with its times on the clock of the machine and the executions in it.
 */
public final class RunningTrial {
    /** More than the turns of a day. Further turns are not reported. */
    private static final int MAX_TURNS = 50_000;
    /** The end of the trial waits at most this long for a thread that writes a report. */
    private static final long MAX_WAIT_MS = TimeUnit.SECONDS.toMillis(10);

    private final Instrumentation instrumentation;
    private final Plan plan;
    private final TrialReport report;
    private final TrialTransformer transformer;
    private final Thread thread;
    private volatile boolean isEnded;

    /** Reads the plan. `firstRow` is the row of counts of the place with the number 0. */
    public RunningTrial(File file, int firstRow, Instrumentation instrumentation) throws IOException {
        plan = Plan.read(file, firstRow);
        if (!plan.hasTurns()) {
            throw new IllegalArgumentException("the plan has no turns");
        }
        this.instrumentation = instrumentation;
        report = new TrialReport(plan.report, plan.places);
        transformer = new TrialTransformer(plan, report);
        thread = new Thread(null, this::takeTurns, "whittle-turns", 0);
        thread.setDaemon(true);
        thread.setContextClassLoader(null);
    }

    /** The number of rows of counts that the trial uses. */
    public int rows() {
        return plan.places.stream().mapToInt(place -> place.planned + 1).max().orElse(0);
    }

    /** Changes the classes, and begins the first turn. */
    public void start() {
        Turns.start();
        Sizes.ofService();
        Opened.fieldsOf(plan, instrumentation);
        instrumentation.addTransformer(transformer, true);
        for (Class<?> type : instrumentation.getAllLoadedClasses()) {
            if (isPlanned(type)) {
                change(type);
            }
        }
        thread.start();
        report.write();
    }

    /** Ends the turns, and restores the classes. Another thread than that of the turns calls this. */
    public void end() {
        isEnded = true;
        Turns.end();
        LockSupport.unpark(thread);
        awaitThread();
        instrumentation.removeTransformer(transformer);
        boolean isRestored = true;
        for (Class<?> type : instrumentation.getAllLoadedClasses()) {
            isRestored &= !isPlanned(type) || restore(type);
        }
        plan.places.forEach(place -> Places.forget(place.number));
        report.add(Collections.singletonList(isRestored ? "removed" : "remains"));
    }

    private boolean isPlanned(Class<?> type) {
        return transformer.isPlanned(type.getName().replace('.', '/')) && instrumentation.isModifiableClass(type);
    }

    private void change(Class<?> type) {
        transformer.forgetLast();
        try {
            instrumentation.retransformClasses(type);
        } catch (UnmodifiableClassException | RuntimeException | LinkageError rejected) {
            transformer.undoLast("the JVM rejected the changed class: " + rejected);
        }
    }

    private boolean restore(Class<?> type) {
        try {
            instrumentation.retransformClasses(type);
            return true;
        } catch (UnmodifiableClassException | RuntimeException | LinkageError rejected) {
            report.fail(rejected);
            return false;
        }
    }

    private void awaitThread() {
        try {
            thread.join(MAX_WAIT_MS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void takeTurns() {
        try {
            for (int turn = 0; !isEnded && turn < MAX_TURNS; turn++) {
                takeTurn(turn, turn % 4 == 1 || turn % 4 == 2);
            }
        } finally {
            Turns.isNew = false;
        }
    }

    private void takeTurn(int turn, boolean isNew) {
        Turns.isNew = isNew;
        long begin = System.nanoTime();
        long old = Turns.oldCount();
        long changed = Turns.newCount();
        long end = awaitEnd(begin);
        String counts = "\t" + (Turns.oldCount() - old) + "\t" + (Turns.newCount() - changed);
        if (!isEnded) {
            String side = isNew ? "new" : "old";
            report.add(Collections.singletonList("turn\t" + turn + "\t" + side + "\t" + begin + "\t" + end + counts));
        }
    }

    /** Returns the time when the turn ended. */
    private long awaitEnd(long begin) {
        long now = System.nanoTime();
        while (!isEnded && now - begin < plan.turnNs) {
            LockSupport.parkNanos(plan.turnNs - (now - begin));
            now = System.nanoTime();
        }
        return now;
    }
}
