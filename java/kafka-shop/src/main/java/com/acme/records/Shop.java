package com.acme.records;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** The consumer: several threads work on the orders. It prints what they did each second and at the end. */
public final class Shop {
    private Shop() {}

    /** {@code --port N --seconds S}. */
    public static void main(String[] words) throws Exception {
        Arguments arguments = new Arguments(words);
        int port = (int) arguments.number("--port", 9092);
        int seconds = (int) arguments.number("--seconds", 3600);
        Settings settings = Settings.read();
        Statistics statistics = new Statistics();
        BlockList blockList = new BlockList(settings);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            statistics.printAll();
            Share.print();
        }));
        ExecutorService pool = Executors.newFixedThreadPool(settings.threads());
        List<OrderWorker> workers = new ArrayList<>();
        List<Future<Void>> results = new ArrayList<>();
        try (Receipts receipts = new Receipts(port, settings)) {
            for (int i = 0; i < settings.threads(); i++) {
                workers.add(new OrderWorker(port, settings, blockList, receipts, statistics));
                results.add(pool.submit(workers.get(i)));
            }
            for (int second = 0; second < seconds; second++) {
                TimeUnit.SECONDS.sleep(1);
                statistics.printSecond();
                failIfFailed(results);
            }
            workers.forEach(OrderWorker::stop);
            for (Future<Void> result : results) result.get();
        } finally {
            workers.forEach(OrderWorker::stop);
            pool.shutdown();
        }
    }

    private static void failIfFailed(List<Future<Void>> results) throws ExecutionException, InterruptedException {
        for (Future<Void> result : results) if (result.isDone()) result.get();
    }
}
