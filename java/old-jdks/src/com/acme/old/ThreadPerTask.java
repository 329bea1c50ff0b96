package com.acme.old;

import java.util.ArrayList;
import java.util.List;

/** Starts a thread for each small task. Prints the number of threads. */
public final class ThreadPerTask {
    private ThreadPerTask() {}

    public static void main(String[] arguments) throws InterruptedException {
        long threads = 0;
        while (Run.goesOn()) {
            List<Thread> tasks = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                Thread thread = new Thread(ThreadPerTask::count, "task");
                thread.start(); // [edit thread-per-task]
                tasks.add(thread);
                threads++;
            }
            for (Thread task : tasks) task.join();
        }
        System.out.println("threads=" + threads);
    }

    private static void count() {
        long sum = 0;
        for (int i = 0; i < 20_000; i++) sum += i * 31L ^ sum >>> 3;
        Run.kept = sum;
    }
}
