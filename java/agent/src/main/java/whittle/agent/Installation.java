package whittle.agent;

import java.io.File;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.whittle.Items;
import java.whittle.Marks;
import whittle.agent.trial.Opened;

/**
 * The changed classes of this JVM. There is at most one installation.
 *
 * <p>This class is public because the bootstrap loader loads it, and the system class loader loads {@link Agent}.
 */
public final class Installation {
    private static final ReentrantLock LOCK = new ReentrantLock();
    /** A rest after a change of classes is this many times as long as the change. */
    private static final int RESTS = 4;
    private static Installation current;

    private final Instrumentation instrumentation;
    private final Report report;
    private final Watch watch;
    private final Transformer transformer;
    private final Jdbc jdbc = new Jdbc();
    /** Only the agent's thread uses it. */
    private long restUntil = System.nanoTime();
    private final Set<Class<?>> seen = Collections.newSetFromMap(new WeakHashMap<>());

    private Installation(Instrumentation instrumentation, File lock) throws IOException {
        this.instrumentation = instrumentation;
        report = new Report(new File(lock.getPath() + ".report"));
        watch = new Watch(lock, this::changeNewClasses, report::writeIfChanged, this::stopIfCurrent);
        transformer = new Transformer(report, jdbc, watch::hurry);
    }

    /** Changes the classes. If an installation exists, it is removed first. */
    public static void start(Instrumentation instrumentation, File lock) throws IOException {
        LOCK.lock();
        try {
            removeCurrent();
            current = new Installation(instrumentation, lock);
            current.install();
        } catch (Throwable failure) {
            // Nothing stays changed, because the thread that watches whittle may be missing.
            removeCurrent();
            throw failure;
        } finally {
            LOCK.unlock();
        }
    }

    /** Restores the classes. Does nothing if the agent is not started. */
    public static void stop() {
        LOCK.lock();
        try {
            removeCurrent();
        } finally {
            LOCK.unlock();
        }
    }

    /**
     * Restores the classes, on the thread that watches whittle. Another thread that holds the lock is starting or stopping
     * the agent, and waits until this thread ends.
     */
    private void stopIfCurrent() {
        if (LOCK.tryLock()) {
            try {
                if (current == this) {
                    removeCurrent();
                }
            } finally {
                LOCK.unlock();
            }
        }
    }

    private static void removeCurrent() {
        Installation installation = current;
        current = null;
        if (installation != null) {
            installation.remove();
        }
    }

    private void install() {
        // The names of tasks inside the tasks of executors.
        Opened.to(Marks.class, instrumentation, "java.util.concurrent");
        Marks.start();
        watch.start();
        instrumentation.addTransformer(transformer, true);
        retransform(newClasses());
        report.finish();
    }

    private void remove() {
        Marks.stop();
        watch.stop();
        instrumentation.removeTransformer(transformer);
        retransform(new ArrayList<>(seen));
        report.writeIfChanged();
        Items.clear();
    }

    /**
     * Changes the classes that were loaded since the last call. Each change stops all threads of the JVM for a moment, and looks at
     * the stack of each. So the agent rests after a change, and uses at most a fifth of a CPU while classes are loaded.
     */
    private void changeNewClasses() {
        long begin = System.nanoTime();
        if (begin - restUntil < 0) {
            watch.hurry();
            return;
        }
        retransform(newClasses());
        long end = System.nanoTime();
        restUntil = end + RESTS * (end - begin);
        report.writeIfChanged();
    }

    /** The loaded classes that the agent changes, if they were not found before. */
    private List<Class<?>> newClasses() {
        List<Class<?>> found = new ArrayList<>();
        Class<?>[] loaded = instrumentation.getAllLoadedClasses();
        jdbc.findInterfaces(loaded);
        for (Class<?> type : loaded) {
            if (hasSites(type) && instrumentation.isModifiableClass(type) && seen.add(type)) {
                found.add(type);
            }
        }
        return found;
    }

    private boolean hasSites(Class<?> type) {
        return Sites.have(type.getName().replace('.', '/')) || !jdbc.sites(type).isEmpty();
    }

    private void retransform(List<Class<?>> types) {
        if (types.isEmpty()) {
            return;
        }
        OldMethods old = OldMethods.of(types);
        try {
            instrumentation.retransformClasses(types.toArray(new Class<?>[0]));
        } catch (Throwable oneFailed) {
            types.forEach(this::retransform);
        }
        if (!old.name()) {
            report.hasCutStacks();
        }
    }

    private void retransform(Class<?> type) {
        try {
            instrumentation.retransformClasses(type);
        } catch (Throwable failure) {
            report.failed(type.getName(), failure);
        }
    }
}
