package com.acme.faults.log4j;

import com.acme.load.Load;
import java.util.Random;
import java.util.TreeMap;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/** An order service: books orders, and logs the ones it cannot book with their exception. Logging: log4j2.xml beside. */
public final class ErrorLog {
    private static final Logger LOG = LogManager.getLogger(ErrorLog.class);

    private ErrorLog() {}

    public static void main(String[] args) {
        Load.onThreads(2, "orders", () -> {
            Random random = new Random(4);
            TreeMap<Integer, Integer> stock = new TreeMap<>();
            return () -> {
                for (int i = 0; i < 400; i++) {
                    order(stock, random.nextInt(500), 1 + random.nextInt(9), i);
                }
                LOG.info("booked a batch, {} articles", stock.size());
                Load.kept = stock.size();
            };
        });
    }

    private static void order(TreeMap<Integer, Integer> stock, int article, int count, int number) {
        try {
            pipeline(stock, article, number % 200 == 7 ? -1 : count, 12);
        } catch (IllegalArgumentException failure) {
            LOG.error("order {} failed", number, failure);
        }
    }

    /** Filters around the booking, as a framework has them. */
    private static void pipeline(TreeMap<Integer, Integer> stock, int article, int count, int filters) {
        if (filters > 0) {
            pipeline(stock, article, count, filters - 1);
        } else {
            book(stock, article, count);
        }
    }

    private static void book(TreeMap<Integer, Integer> stock, int article, int count) {
        if (count < 0) {
            throw new IllegalArgumentException("count " + count + " of article " + article);
        }
        stock.merge(article, count, Integer::sum);
    }
}
