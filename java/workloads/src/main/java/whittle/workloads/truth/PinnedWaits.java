package whittle.workloads.truth;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import whittle.workloads.Arguments;

/**
 * Virtual threads that wait for 20 ms each and keep their carriers. JDK 21 and later.
 *
 * <p>See README.md for arguments and output.
 */
public final class PinnedWaits {
    private static final long WAIT_MILLIS = 20;

    private PinnedWaits() {}

    /** A way to wait. */
    private abstract static class Kind {
        private final String name;
        private final AtomicLong count = new AtomicLong();

        Kind(String name) {
            this.name = name;
        }

        abstract void await() throws Exception;

        final void run() {
            try {
                await();
            } catch (Exception error) {
                throw new IllegalStateException(error);
            }
            count.incrementAndGet();
        }

        final void print() {
            System.out.println("wait=" + name + " count=" + count + " asked_ns=" + count.get() * WAIT_MILLIS * 1_000_000);
        }
    }

    /** A block that holds a monitor. It pins until JDK 23. */
    private static final class InBlock extends Kind {
        InBlock() {
            super("block");
        }

        @Override
        void await() throws InterruptedException {
            synchronized (new Object()) {
                pause();
            }
        }

        private static void pause() throws InterruptedException {
            Thread.sleep(WAIT_MILLIS);
        }
    }

    /** A synchronized method that waits for a notification. It pins until JDK 23. */
    private static final class InMethod extends Kind {
        InMethod() {
            super("method");
        }

        @Override
        void await() throws InterruptedException {
            new Turn().pass();
        }

        private static final class Turn {
            synchronized void pass() throws InterruptedException {
                wait(WAIT_MILLIS);
            }
        }
    }

    /** The initialiser of a class, which the JVM calls. It pins in all JDKs. */
    private static final class InInitialiser extends Kind {
        InInitialiser() {
            super("initialiser");
        }

        @Override
        void await() throws Exception {
            URL classes = PinnedWaits.class.getProtectionDomain().getCodeSource().getLocation();
            // Without a parent, the loader makes a class of its own.
            try (URLClassLoader loader = new URLClassLoader(new URL[] {classes}, null)) {
                loader.loadClass(Slow.class.getName()).getMethod("use").invoke(null);
            }
        }
    }

    /** A class that takes time to initialise. */
    public static final class Slow {
        static {
            load();
        }

        private Slow() {}

        /** The first call initialises the class. */
        public static void use() {}

        private static void load() {
            try {
                Thread.sleep(WAIT_MILLIS);
            } catch (InterruptedException interrupted) {
                throw new IllegalStateException(interrupted);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Arguments arguments = Arguments.read(args, "waits", "delay");
        long waits = arguments.count("waits", 100);
        Thread.sleep(arguments.count("delay", 1) * 1000);
        List<Kind> kinds = List.of(new InBlock(), new InMethod(), new InInitialiser());
        CountDownLatch running = new CountDownLatch((int) waits * kinds.size());
        for (int number = 0; number < waits; number++) {
            for (Kind kind : kinds) {
                startVirtual("booking-" + number, () -> {
                    kind.run();
                    running.countDown();
                });
            }
        }
        running.await();
        kinds.forEach(Kind::print);
    }

    /** The program is compiled for JDK 17, which has no virtual threads. */
    private static void startVirtual(String name, Runnable task) throws ReflectiveOperationException {
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        Class<?> type = Class.forName("java.lang.Thread$Builder");
        Object named = type.getMethod("name", String.class).invoke(builder, name);
        type.getMethod("start", Runnable.class).invoke(named, task);
    }
}
