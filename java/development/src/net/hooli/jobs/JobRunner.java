package net.hooli.jobs;

import com.acme.load.Load;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

/** A job arrives every two milliseconds. A runner takes the jobs. */
public final class JobRunner {
    record Job(int number) {
        long run() {
            long value = number;
            for (int i = 0; i < 100_000; i++) value = value * 31 + (value >>> 7);
            return value;
        }
    }

    /** Hands jobs over. */
    static class Desk {
        private final LinkedBlockingQueue<Job> jobs = new LinkedBlockingQueue<>();

        void put(Job job) {
            jobs.add(job);
        }

        Optional<Job> poll() {
            return Optional.ofNullable(jobs.poll());
        }

        Job next() throws InterruptedException {
            for (;;) { // [old]
                Optional<Job> job = poll(); // [old]
                if (job.isPresent()) return job.get(); // [old]
                LockSupport.parkNanos(20); // [call] [edit]
            } // [old]
            // [new] return jobs.take();
        }
    }

    static void produce(Desk desk) {
        try {
            for (int number = 0;; number++) {
                Thread.sleep(2);
                desk.put(new Job(number));
            }
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] arguments) {
        Desk desk = new Desk();
        Thread producer = new Thread(() -> produce(desk), "arrivals");
        producer.setDaemon(true);
        producer.start();
        Load.onThreads(1, "runner", () -> () -> Load.kept = desk.next().run());
    }
}
