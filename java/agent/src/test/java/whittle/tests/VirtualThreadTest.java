package whittle.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.whittle.Loss;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** Virtual threads. The class is compiled for JDK 17, so it finds the new methods by name. */
@EnabledForJreRange(min = JRE.JAVA_21)
final class VirtualThreadTest {
    private static final String NAME = VirtualThreadTest.class.getName();
    private static final int MANY = 100_000;

    private final Attached agent;

    VirtualThreadTest() throws Exception {
        agent = new Attached();
    }

    @AfterEach
    void stop() throws Exception {
        agent.close();
    }

    private static ExecutorService virtualThreads() throws Exception {
        return (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    }

    private static void close(ExecutorService executor) throws Exception {
        ExecutorService.class.getMethod("close").invoke(executor);
    }

    private static final class Parking implements Callable<Long> {
        @Override
        public Long call() {
            Thread.currentThread().setName("parking");
            LockSupport.parkNanos(20_000_000);
            return Thread.currentThread().getId();
        }
    }

    /** The first call makes the JVM load the class that the agent changes. */
    private static void warmUp(Attached agent) throws Exception {
        ExecutorService executor = virtualThreads();
        executor.submit(() -> 0).get();
        close(executor);
        agent.awaitLine("thread\tjava.lang.VirtualThread\trun");
        agent.awaitLine("thread\tjava.lang.VirtualThread\tstart");
        agent.awaitLine("thread\tjava.lang.VirtualThread\tyieldContinuation");
    }

    @Test
    void aThreadLeavesItsCarrierWithItsItem() throws Exception {
        warmUp(agent);
        try (Recorded recorded = new Recorded()) {
            ExecutorService executor = virtualThreads();
            executor.submit(new Parking()).get();
            close(executor);
            // The thread is number 1, and its item is number 2.
            List<String> marks = withoutTimers(recorded.await(9));
            assertEquals(List.of("resume 1", "begin 2 task " + NAME + "$Parking", "leave 2", "park 1", "resume 1",
                "enter 2", "end 2", "finish 1"), marks);
        }
    }

    /** Without the JDK's tasks that wake up threads. */
    private static List<String> withoutTimers(List<String> marks) {
        return marks.stream().filter(mark -> mark.split(" ")[1].matches("[12]")).toList();
    }

    /** The JVM itself takes the thread from its carrier. */
    @Test
    @EnabledForJreRange(min = JRE.JAVA_25)
    void aThreadThatWaitsForAMonitorLeavesItsCarrier() throws Exception {
        warmUp(agent);
        Object monitor = new Object();
        ExecutorService executor = virtualThreads();
        try (Recorded recorded = new Recorded()) {
            Future<?> waiting;
            synchronized (monitor) {
                waiting = executor.submit(() -> {
                    synchronized (monitor) {
                        return 0;
                    }
                });
                recorded.await(3);
            }
            waiting.get();
            close(executor);
            List<String> marks = withoutTimers(recorded.await(6));
            assertEquals("resume 1", marks.get(0), marks.toString());
            assertEquals(List.of("block 1", "return 1", "end 2", "finish 1"), marks.subList(2, 6), marks.toString());
        }
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_25)
    void aThreadInObjectWaitLeavesItsCarrier() throws Exception {
        warmUp(agent);
        ExecutorService executor = virtualThreads();
        try (Recorded recorded = new Recorded()) {
            executor.submit(() -> {
                Object monitor = new Object();
                synchronized (monitor) {
                    monitor.wait(20);
                }
                return 0;
            }).get();
            close(executor);
            List<String> marks = withoutTimers(recorded.await(6));
            assertEquals(List.of("block 1 1", "return 1", "end 2", "finish 1"), marks.subList(2, 6), marks.toString());
        }
    }

    @Test
    void aThreadBelongsToTheItemThatStartedIt() throws Exception {
        warmUp(agent);
        ExecutorService pool = Executors.newFixedThreadPool(1);
        ExecutorService executor = virtualThreads();
        try (Recorded recorded = new Recorded()) {
            pool.submit(() -> executor.submit(() -> 0)).get().get();
            close(executor);
            List<String> marks = recorded.await(6);
            assertTrue(marks.contains("enter 1") && marks.contains("leave 1"), marks.toString());
            assertEquals(1, marks.stream().filter(mark -> mark.startsWith("begin")).count(), marks.toString());
        }
        pool.shutdownNow();
    }

    @Test
    void theAgentStartsAndStopsWhileManyThreadsRun() throws Exception {
        warmUp(agent);
        long failures = Loss.FAILED_CALL.counted();
        AtomicInteger ended = new AtomicInteger();
        ExecutorService executor = virtualThreads();
        try (Recorded recorded = new Recorded()) {
            List<Future<?>> futures = new ArrayList<>();
            for (int number = 0; number < MANY; number++) {
                futures.add(executor.submit(() -> {
                    Thread.yield();
                    LockSupport.parkNanos(1_000_000);
                    Thread.yield();
                    ended.incrementAndGet();
                }));
                if (number % (MANY / 10) == 0) {
                    agent.stop();
                    agent.start();
                }
            }
            for (Future<?> future : futures) {
                future.get();
            }
            assertTrue(recorded.all().stream().anyMatch(mark -> mark.startsWith("park ")));
        }
        close(executor);
        assertEquals(MANY, ended.get());
        assertEquals(failures, Loss.FAILED_CALL.counted());
    }
}
