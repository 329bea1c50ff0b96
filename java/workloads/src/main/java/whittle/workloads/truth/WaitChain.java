package whittle.workloads.truth;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A chain of three waits: {@code order} waits for a lock. {@code loader} has this lock and waits for an element of a queue. {@code
 * source} sleeps before it gives the element.
 */
public final class WaitChain {
    private static final long SLEEP_MILLIS = 20;

    private final ReentrantLock lock = new ReentrantLock();
    private final BlockingQueue<Integer> queue = new SynchronousQueue<>();
    private CountDownLatch isHeld = new CountDownLatch(1);

    public static void main(String[] arguments) throws Exception {
        int count = 200;
        for (int i = 0; i < arguments.length; i += 2) {
            if (!arguments[i].equals("--count") || i + 1 == arguments.length) {
                System.err.println("usage: WaitChain [--count N]");
                System.exit(2);
            }
            count = Integer.parseInt(arguments[i + 1]);
        }
        WaitChain program = new WaitChain();
        int elements = count;
        Thread source = new Thread(() -> program.give(elements), "source");
        source.start();
        for (int i = 0; i < count; i++) {
            program.isHeld = new CountDownLatch(1);
            Thread loader = new Thread(program::load, "loader");
            Thread order = new Thread(program::order, "order");
            loader.start();
            order.start();
            loader.join();
            order.join();
        }
        source.join();
        System.out.println("chains=" + count);
    }

    private void order() {
        try {
            isHeld.await();
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
        lock.lock();
        lock.unlock();
    }

    private void load() {
        lock.lock();
        try {
            isHeld.countDown();
            queue.take();
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        } finally {
            lock.unlock();
        }
    }

    private void give(int count) {
        try {
            for (int i = 0; i < count; i++) {
                Thread.sleep(SLEEP_MILLIS);
                queue.put(i);
            }
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }
}
