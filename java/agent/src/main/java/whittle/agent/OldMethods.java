package whittle.agent;

import java.lang.reflect.InvocationTargetException;
import java.util.Collection;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.whittle.Marks;

/**
 * Keeps stacks whole while the agent changes classes.
 *
 * <p>A thread that is inside a method while its class changes continues in the old version of the method. The JVM has no
 * method id for old versions until somebody asks it for the stack of such a thread, and a profiler that walks a stack stops
 * at a method without id. So the agent asks for the stack of each thread after each change.
 *
 * <p>A virtual thread cannot be found from outside. All virtual threads use the same methods, so a virtual thread of the agent
 * is inside them during the change, and its stack gives the ids for all.
 */
final class OldMethods {
    /** How long the agent waits until its virtual thread has parked. All carriers can be busy. */
    private static final long PATIENCE_NS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long PERIOD_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private final boolean haveVirtual;
    private final Parked parked = new Parked();
    private final Thread witness;

    private OldMethods(boolean haveVirtual) {
        this.haveVirtual = haveVirtual;
        witness = haveVirtual ? startVirtual(parked) : null;
        awaitPark(witness);
    }

    /** Call this before these classes change. */
    static OldMethods of(Collection<Class<?>> types) {
        boolean isVirtual = types.stream().anyMatch(type -> type.getName().equals("java.lang.VirtualThread"));
        return new OldMethods(isVirtual && Marks.haveLibrary() && haveCarrier());
    }

    /** Call this after the change. False: virtual threads that are inside an old method have no id for it. */
    boolean name() {
        if (!Marks.haveLibrary()) {
            return true;
        }
        nameAll();
        boolean isNamed = !haveVirtual || isParked(witness) && nameOne(witness);
        parked.end(witness);
        return isNamed;
    }

    private static void awaitPark(Thread thread) {
        long until = System.nanoTime() + PATIENCE_NS;
        while (thread != null && !isParked(thread) && System.nanoTime() < until) {
            LockSupport.parkNanos(PERIOD_NS);
        }
    }

    private static boolean isParked(Thread thread) {
        return thread != null && thread.getState() == Thread.State.WAITING;
    }

    /** Without a carrier, no virtual thread has run yet, and the agent starts none. */
    private static boolean haveCarrier() {
        ThreadGroup root = Thread.currentThread().getThreadGroup();
        while (root.getParent() != null) {
            root = root.getParent();
        }
        Thread[] threads = new Thread[root.activeCount() * 2 + 16];
        int count = root.enumerate(threads);
        for (int number = 0; number < count; number++) {
            if (threads[number].getClass().getName().equals("jdk.internal.misc.CarrierThread")) {
                return true;
            }
        }
        return false;
    }

    private static Thread startVirtual(Runnable task) {
        try {
            return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
        } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException olderThan21) {
            return null;
        }
    }

    /** The task of the agent's virtual thread: it parks until the change is over. */
    private static final class Parked implements Runnable {
        private volatile boolean isOver;

        @Override
        public void run() {
            while (!isOver) {
                LockSupport.park(this);
            }
        }

        void end(Thread thread) {
            isOver = true;
            LockSupport.unpark(thread);
        }
    }

    private static native void nameAll();

    /** False if the JVM does not return the thread's stack. */
    private static native boolean nameOne(Object thread);
}
