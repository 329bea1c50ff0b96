package whittle.workloads.truth;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Threads wait for a fair lock and for a monitor, and write down who held it. Three threads share the lock, and three others the
 * monitor. Each of them holds it for another time: {@code refresh} longer than {@code lookup} and {@code audit}. Each writes down
 * when it had the lock, and when it waited. Several threads can have the lock one after the other while another one waits. At the
 * end, the program prints the time of the waits by kind, waiter and holder:
 *
 * <pre>waits kind=lock waiter=audit holder=refresh nanos=480000000</pre>
 */
public final class LockHolders {
    private static final String[] METHODS = {"refresh", "lookup", "audit"};
    private static final long[] HOLD_NANOS = {6_000_000, 3_000_000, 2_000_000};
    /** A thread pauses for a random time, at most this long. Otherwise, the threads would always wait in the same order. */
    private static final int MOST_PAUSE_NANOS = 8_000_000;

    /** The time in which a thread, the one of this method, waited for a lock or had it. */
    private record Span(int method, long start, long end) {
        /** The time of this span that is also in another one. */
        long nanosIn(Span other) {
            return Math.max(0, Math.min(end, other.end) - Math.max(start, other.start));
        }
    }

    /** Takes a lock, does something with it, and gives it back. */
    private interface Held {
        void run(Runnable inside);
    }

    private final long endNanos;
    /** Of the lock, and of the monitor. Only the holder accesses them. */
    private final List<List<Span>> waited = List.of(new ArrayList<>(), new ArrayList<>());
    private final List<List<Span>> held = List.of(new ArrayList<>(), new ArrayList<>());
    private final ReentrantLock lock = new ReentrantLock(true);
    private final Object monitor = new Object();

    private LockHolders(long endNanos) {
        this.endNanos = endNanos;
    }

    public static void main(String[] arguments) throws Exception {
        long seconds = 5;
        for (int i = 0; i < arguments.length; i += 2) {
            if (!arguments[i].equals("--seconds") || i + 1 == arguments.length) {
                System.err.println("usage: LockHolders [--seconds N]");
                System.exit(2);
            }
            seconds = Long.parseLong(arguments[i + 1]);
        }
        LockHolders program = new LockHolders(System.nanoTime() + seconds * 1_000_000_000);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < METHODS.length; i++) {
            int method = i;
            threads.add(new Thread(() -> program.loop("lock", method), METHODS[i] + "-lock"));
            threads.add(new Thread(() -> program.loop("monitor", method), METHODS[i] + "-monitor"));
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        program.print("lock", 0);
        program.print("monitor", 1);
    }

    private void loop(String kind, int method) {
        Random random = new Random(method);
        while (System.nanoTime() < endNanos) {
            LockSupport.parkNanos(random.nextInt(MOST_PAUSE_NANOS));
            long start = System.nanoTime();
            held(kind, method).run(() -> inside(kind, method, start));
        }
    }

    private Held held(String kind, int method) {
        boolean isLock = kind.equals("lock");
        switch (METHODS[method]) {
            case "refresh":
                return isLock ? this::refreshLocked : this::refreshSynchronized;
            case "lookup":
                return isLock ? this::lookupLocked : this::lookupSynchronized;
            default:
                return isLock ? this::auditLocked : this::auditSynchronized;
        }
    }

    private void inside(String kind, int method, long start) {
        int place = kind.equals("lock") ? 0 : 1;
        long begin = System.nanoTime();
        if (begin - start > 100_000) {
            waited.get(place).add(new Span(method, start, begin));
        }
        LockSupport.parkNanos(HOLD_NANOS[method]);
        held.get(place).add(new Span(method, begin, System.nanoTime()));
    }

    private void print(String kind, int place) {
        Map<String, Long> nanos = new TreeMap<>();
        for (Span wait : waited.get(place)) {
            for (Span holder : held.get(place)) {
                String key = "waits kind=" + kind + " waiter=" + METHODS[wait.method] + " holder=" + METHODS[holder.method];
                nanos.merge(key, wait.nanosIn(holder), Long::sum);
            }
        }
        nanos.forEach((key, sum) -> {
            if (sum > 0) {
                System.out.println(key + " nanos=" + sum);
            }
        });
    }

    private void refreshLocked(Runnable inside) {
        lock.lock();
        try {
            inside.run();
        } finally {
            lock.unlock();
        }
    }

    private void lookupLocked(Runnable inside) {
        lock.lock();
        try {
            inside.run();
        } finally {
            lock.unlock();
        }
    }

    private void auditLocked(Runnable inside) {
        lock.lock();
        try {
            inside.run();
        } finally {
            lock.unlock();
        }
    }

    private void refreshSynchronized(Runnable inside) {
        synchronized (monitor) {
            inside.run();
        }
    }

    private void lookupSynchronized(Runnable inside) {
        synchronized (monitor) {
            inside.run();
        }
    }

    private void auditSynchronized(Runnable inside) {
        synchronized (monitor) {
            inside.run();
        }
    }
}
