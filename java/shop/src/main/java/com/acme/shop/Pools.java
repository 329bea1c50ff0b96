package com.acme.shop;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The shop's own thread pools. */
@Configuration
class Pools {
    /** For calls of the payment service that run at the same time. */
    @Bean(destroyMethod = "shutdownNow")
    ExecutorService remoteCalls() {
        return Executors.newFixedThreadPool(32, named("remote-call"));
    }

    /** For the sections of a report. */
    @Bean(destroyMethod = "shutdownNow")
    ExecutorService reportSections() {
        return Executors.newFixedThreadPool(2, named("report-section"));
    }

    static ThreadFactory named(String name) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
