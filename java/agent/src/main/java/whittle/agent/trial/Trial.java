package whittle.agent.trial;

import java.io.File;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.whittle.trial.Places;

/** Changes the places of a plan in this JVM. If the plan has no places, it only writes a report. */
public final class Trial {
    private static final long MAX_FLUSH_MS = 1000;
    private static final long MAX_HOOKS_NS = TimeUnit.MILLISECONDS.toNanos(300);
    private static final long SHORT_NS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long PERIOD_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private Trial() {
    }

    /** Reads the plan and installs what it needs. Classes that are not loaded yet change when they are loaded. */
    public static void start(File file, Instrumentation instrumentation) throws IOException {
        Plan plan = Plan.read(file, 0);
        TrialReport report = new TrialReport(TrialReport.ofThisJvm(plan.report), plan.places);
        try {
            if (!plan.places.isEmpty()) {
                // The classes that write a report must be loaded before the program's classes are loaded and changed.
                report.write();
                install(plan, report, instrumentation);
            }
        } catch (Throwable failure) {
            report.fail(failure);
        }
        report.write();
    }

    private static void install(Plan plan, TrialReport report, Instrumentation instrumentation) {
        TrialTransformer transformer = new TrialTransformer(plan, report);
        Opened.fieldsOf(plan, instrumentation);
        instrumentation.addTransformer(transformer, true);
        if (transformer.hasNoStack()) {
            changeThrowable(transformer, instrumentation);
        }
        for (Class<?> type : instrumentation.getAllLoadedClasses()) {
            boolean isDone = type == Throwable.class && transformer.hasNoStack();
            if (!isDone && transformer.isPlanned(type.getName().replace('.', '/'))) {
                change(type, transformer, report, instrumentation);
            }
        }
        Places.onFirst(report::write);
        startThread(report);
        Runtime.getRuntime().addShutdownHook(new Thread("whittle-report") {
            @Override
            public void run() {
                flushWaiting(report);
                awaitOtherHooks(report);
                report.finish();
            }
        });
    }

    private static void changeThrowable(TrialTransformer transformer, Instrumentation instrumentation) {
        try {
            instrumentation.retransformClasses(Throwable.class);
        } catch (UnmodifiableClassException | RuntimeException | LinkageError rejected) {
            transformer.throwableRejected();
        }
    }

    private static void change(Class<?> type, TrialTransformer transformer, TrialReport report, Instrumentation instrumentation) {
        transformer.forgetLast();
        try {
            instrumentation.retransformClasses(type);
        } catch (UnmodifiableClassException | RuntimeException | LinkageError rejected) {
            transformer.undoLast("the JVM rejected the changed class: " + rejected);
        }
    }

    /** In another thread, because a stream can block. The JVM does not wait longer for its end. */
    private static void flushWaiting(TrialReport report) {
        Thread flushing = new Thread("whittle-flush") {
            @Override
            public void run() {
                report.flushWaiting();
            }
        };
        flushing.setDaemon(true);
        flushing.start();
        try {
            flushing.join(MAX_FLUSH_MS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** The program's own shutdown hooks run at the same time, and can close streams. */
    private static void awaitOtherHooks(TrialReport report) {
        long end = System.nanoTime() + MAX_HOOKS_NS;
        while (report.isHolding() && System.nanoTime() < end) {
            LockSupport.parkNanos(SHORT_NS);
        }
    }

    private static void startThread(TrialReport report) {
        Thread thread = new Thread("whittle-trial") {
            @Override
            public void run() {
                while (true) {
                    LockSupport.parkNanos(PERIOD_NS);
                    report.write();
                }
            }
        };
        thread.setDaemon(true);
        thread.setContextClassLoader(null);
        thread.start();
    }
}
