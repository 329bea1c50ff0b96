package whittle.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.MoreExecutors;
import java.util.List;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.whittle.Loss;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tasks of thread pools. */
final class ExecutorTest {
    private static final String NAME = ExecutorTest.class.getName();

    private final Attached agent;
    private ExecutorService pool;
    private Recorded recorded;

    ExecutorTest() throws Exception {
        agent = new Attached();
    }

    @BeforeEach
    void start() {
        pool = Executors.newFixedThreadPool(1);
        recorded = new Recorded();
    }

    @AfterEach
    void stop() throws Exception {
        recorded.close();
        pool.shutdownNow();
        agent.close();
    }

    static final class Outer implements Callable<Future<?>> {
        private final ExecutorService pool;

        Outer(ExecutorService pool) {
            this.pool = pool;
        }

        @Override
        public Future<?> call() {
            return pool.submit(new Inner());
        }
    }

    static final class Inner implements Runnable {
        @Override
        public void run() {
            Thread.yield();
        }
    }

    static final class Failing implements Runnable {
        @Override
        public void run() {
            throw new IllegalStateException("wanted");
        }
    }

    @Test
    void aTaskIsAnItemWithTheNameOfTheProgramsClass() throws Exception {
        pool.submit(new Inner()).get();
        pool.submit(new Inner()).get();
        assertEquals(List.of("begin 1 task " + NAME + "$Inner", "end 1", "begin 2 task " + NAME + "$Inner", "end 2"),
            recorded.await(4));
    }

    @Test
    void aSubmittedTaskBelongsToTheItemOfItsSubmitter() throws Exception {
        ExecutorService other = Executors.newFixedThreadPool(1);
        pool.submit(new Outer(other)).get().get();
        other.shutdown();
        assertTrue(other.awaitTermination(5, TimeUnit.SECONDS));
        List<String> marks = recorded.await(4);
        assertEquals(4, marks.size(), marks.toString());
        assertTrue(marks.containsAll(List.of("begin 1 task " + NAME + "$Outer", "end 1", "enter 1", "leave 1")),
            marks.toString());
    }

    @Test
    void aTaskThatFailsEnds() throws Exception {
        assertThrows(ExecutionException.class, () -> pool.submit(new Failing()).get());
        pool.execute(new Failing());
        List<String> marks = recorded.await(4);
        assertEquals(List.of("end 1", "end 2"), List.of(marks.get(1), marks.get(3)), marks.toString());
        pool.submit(new Inner()).get();
        assertEquals("begin 3 task " + NAME + "$Inner", recorded.await(6).get(4));
    }

    @Test
    void aWorkerThatExistedBeforeTheAgentIsSeen() throws Exception {
        agent.stop();
        pool.submit(new Inner()).get();
        agent.start();
        // The worker waits inside the unchanged method until it has got this task.
        pool.submit(new Inner()).get();
        pool.submit(new Inner()).get();
        assertEquals(List.of("begin 1 task " + NAME + "$Inner", "end 1"), recorded.await(2));
    }

    @Test
    void aTaskOfTheSubmittingThreadStaysInItsItem() throws Exception {
        ThreadPoolExecutor full = (ThreadPoolExecutor) Executors.newFixedThreadPool(1);
        full.setRejectedExecutionHandler(new ThreadPoolExecutor.CallerRunsPolicy());
        full.shutdown();
        full.setRejectedExecutionHandler((task, executor) -> task.run());
        pool.submit(new Outer(full)).get();
        assertEquals(List.of("begin 1 task " + NAME + "$Outer", "end 1"), recorded.await(2));
    }

    /** Submits one object from two items, or twice from one item, while the other pool is busy. */
    private List<String> marksOfShared(boolean isOneItem, boolean isFirstWithoutItem) throws Exception {
        recorded.clear();
        ExecutorService other = Executors.newFixedThreadPool(1);
        CountDownLatch submitted = new CountDownLatch(1);
        other.submit(() -> submitted.await(5, TimeUnit.SECONDS));
        recorded.await(1);
        recorded.clear();
        Runnable shared = new Inner();
        if (isFirstWithoutItem) {
            other.execute(shared);
        } else if (!isOneItem) {
            pool.submit(() -> other.execute(shared)).get();
        }
        pool.submit(() -> {
            other.execute(shared);
            if (isOneItem) {
                other.execute(shared);
            }
        }).get();
        submitted.countDown();
        other.shutdown();
        assertTrue(other.awaitTermination(5, TimeUnit.SECONDS));
        return recorded.all().stream().map(mark -> mark.split(" ")[0]).toList();
    }

    @Test
    void anObjectThatIsSubmittedForTwoItemsBelongsToNone() throws Exception {
        long shared = Loss.SHARED_TASK.counted();
        assertEquals(List.of("begin", "end", "begin", "end"), marksOfShared(false, false));
        assertEquals(shared + 2, Loss.SHARED_TASK.counted());
        assertEquals(List.of("begin", "end"), marksOfShared(false, true));
        assertEquals(shared + 4, Loss.SHARED_TASK.counted());
    }

    @Test
    void anObjectThatIsSubmittedTwiceForOneItemBelongsToIt() throws Exception {
        List<String> marks = marksOfShared(true, false);
        assertEquals(2, marks.stream().filter("enter"::equals).count(), marks.toString());
        assertEquals(1, marks.stream().filter("begin"::equals).count(), marks.toString());
    }

    @Test
    void aRejectedObjectCanBeSubmittedAgain() throws Exception {
        ExecutorService closed = Executors.newFixedThreadPool(1);
        closed.shutdown();
        ExecutorService other = Executors.newFixedThreadPool(1);
        Runnable shared = new Inner();
        pool.submit(() -> assertThrows(RejectedExecutionException.class, () -> closed.execute(shared))).get();
        pool.submit(() -> other.execute(shared)).get();
        other.shutdown();
        assertTrue(other.awaitTermination(5, TimeUnit.SECONDS));
        assertTrue(recorded.all().contains("enter 2"), recorded.all().toString());
    }

    @Test
    void tasksInOrderBelongToTheirOwnItems() throws Exception {
        ExecutorService other = Executors.newFixedThreadPool(1);
        Executor inOrder = MoreExecutors.newSequentialExecutor(other);
        inOrder.execute(() -> { });
        agent.awaitLine("executor\tcom.google.common.util.concurrent.SequentialExecutor$1\trun");
        agent.awaitLine("executor\tcom.google.common.util.concurrent.SequentialExecutor$QueueWorker\tworkOnQueue");
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch submitted = new CountDownLatch(1);
        inOrder.execute(() -> {
            running.countDown();
            await(submitted);
        });
        running.await();
        recorded.clear();
        pool.submit(() -> inOrder.execute(new Inner())).get();
        pool.submit(() -> inOrder.execute(new Inner())).get();
        submitted.countDown();
        other.shutdown();
        assertTrue(other.awaitTermination(5, TimeUnit.SECONDS));
        List<String> marks = recorded.all();
        assertTrue(marks.containsAll(List.of("enter 1", "leave 1", "enter 2", "leave 2")), marks.toString());
        assertEquals(2, marks.stream().filter(mark -> mark.startsWith("begin")).count(), marks.toString());
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(5, TimeUnit.SECONDS));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void aScheduledTaskIsAnItemEachTime() throws Exception {
        ScheduledExecutorService timer = Executors.newScheduledThreadPool(1);
        CountDownLatch twice = new CountDownLatch(2);
        timer.scheduleAtFixedRate(twice::countDown, 0, 5, TimeUnit.MILLISECONDS);
        twice.await();
        timer.shutdownNow();
        assertTrue(timer.awaitTermination(5, TimeUnit.SECONDS));
        assertEquals(List.of("begin 1 scheduled " + NAME + "$$Lambda", "end 1"), recorded.await(2).subList(0, 2));
    }

    @Test
    void theTaskOfAFutureHasTheNameOfItsFunction() throws Exception {
        CompletableFuture.runAsync(new Inner(), pool).get();
        assertEquals("begin 1 task " + NAME + "$Inner", recorded.await(2).get(0));
    }

    @Test
    void aTaskOfAForkJoinPoolBelongsToTheItemThatMadeIt() throws Exception {
        ForkJoinPool.commonPool().submit(() -> { }).get();
        agent.awaitLine("executor\tjava.util.concurrent.ForkJoinTask\tdoExec");
        recorded.clear();
        CountDownLatch done = new CountDownLatch(1);
        // The submitting thread must not wait with `get`, because it would run the task itself.
        pool.submit(() -> ForkJoinPool.commonPool().execute(done::countDown)).get();
        done.await();
        List<String> marks = recorded.await(4);
        assertEquals("begin 1 task " + NAME + "$$Lambda", marks.get(0));
        assertEquals(List.of("end 1", "enter 1", "leave 1"), marks.stream().skip(1).sorted().toList());
    }

    @Test
    void partsOfAComputationAreNoItems() throws Exception {
        ForkJoinPool.commonPool().submit(() -> { }).get();
        agent.awaitLine("executor\tjava.util.concurrent.ForkJoinTask\tdoExec");
        recorded.clear();
        assertEquals(499_500, IntStream.range(0, 1000).parallel().sum());
        ForkJoinPool.commonPool().submit(new Inner()).get();
        assertEquals(List.of("begin 1 task " + NAME + "$Inner", "end 1"), recorded.await(2));
    }

    @Test
    void aTaskOfATimerIsAnItem() throws Exception {
        new Timer(true).cancel();
        agent.awaitLine("executor\tjava.util.TimerThread\tmainLoop");
        Timer timer = new Timer(true);
        CountDownLatch once = new CountDownLatch(1);
        timer.schedule(new TimerTask() {
            @Override
            public void run() {
                once.countDown();
            }
        }, 0);
        once.await();
        List<String> marks = recorded.await(2);
        assertEquals("end 1", marks.get(1));
        assertTrue(marks.get(0).startsWith("begin 1 scheduled " + NAME), marks.toString());
        timer.cancel();
    }

    @Test
    void nothingIsMarkedAfterTheAgentStopped() throws Exception {
        pool.submit(new Inner()).get();
        assertEquals(2, recorded.await(2).size());
        agent.stop();
        agent.stop();
        pool.submit(new Inner()).get();
        pool.submit(new Inner()).get();
        assertEquals(2, recorded.all().size());
        agent.start();
        agent.start();
        pool.submit(new Inner()).get();
        pool.submit(new Inner()).get();
        assertTrue(recorded.await(4).size() >= 4);
    }
}
