package com.acme.shop;

import com.acme.shop.Figures.Row;
import com.acme.shop.Figures.Section;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;

/** Writes the report: one section per category, one line per product. */
@Service
class ReportService {
    private static final Logger LOG = LoggerFactory.getLogger(ReportService.class);
    /** The sections are written by this many tasks. */
    private static final int TASKS = Faults.count(5);
    /** Every which report is made in a large buffer if that fault is on. */
    private static final int LARGE_EVERY = (int) Math.max(1, Math.round(1 / Faults.amount(1)));

    private final Figures figures;
    private final CustomsRules customs;
    private final ExecutorService reportSections;
    private final AtomicInteger reports = new AtomicInteger();

    ReportService(Figures figures, CustomsRules customs, ExecutorService reportSections) {
        this.figures = figures;
        this.customs = customs;
        this.reportSections = reportSections;
    }

    String report() throws InterruptedException, ExecutionException {
        List<List<Section>> groups = groups(figures.sections());
        List<String> parts = Faults.on("threads-unbounded") ? partsByThreads(groups) : partsByPool(groups);
        if (Faults.on("humongous") && reports.incrementAndGet() % LARGE_EVERY == 0) return joinInBuffer(parts);
        return String.join("", parts);
    }

    private String joinInBuffer(List<String> parts) {
        byte[] buffer = new byte[8 << 20]; // [call humongous]
        int length = 0;
        for (String part : parts) {
            byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
            System.arraycopy(bytes, 0, buffer, length, bytes.length);
            length += bytes.length;
        }
        return new String(buffer, 0, length, StandardCharsets.UTF_8);
    }

    private static List<List<Section>> groups(List<Section> sections) {
        List<List<Section>> groups = new ArrayList<>();
        int size = Math.max(1, (sections.size() + TASKS - 1) / TASKS);
        for (int from = 0; from < sections.size(); from += size)
            groups.add(sections.subList(from, Math.min(sections.size(), from + size)));
        return groups;
    }

    private List<String> partsByPool(List<List<Section>> groups) throws InterruptedException, ExecutionException {
        List<Future<String>> tasks = new ArrayList<>();
        for (List<Section> group : groups) tasks.add(reportSections.submit(() -> text(group)));
        List<String> parts = new ArrayList<>();
        for (Future<String> task : tasks) parts.add(task.get());
        return parts;
    }

    private List<String> partsByThreads(List<List<Section>> groups) throws InterruptedException {
        String[] parts = new String[groups.size()];
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < parts.length; i++) {
            int part = i;
            Thread thread = new Thread(() -> parts[part] = text(groups.get(part))); // [edit threads-unbounded]
            thread.start(); // [call threads-unbounded]
            threads.add(thread);
        }
        for (Thread thread : threads) thread.join();
        return List.of(parts);
    }

    private String text(List<Section> sections) {
        StringBuilder text = new StringBuilder(4096);
        for (Section section : sections) {
            if (Faults.on("string-concat-log")) {
                LOG.debug("Section " + section.category() + " with " + section.rows()); // [call string-concat-log]
            } else {
                LOG.debug("Section {} with {}", section.category(), section.rows());
            }
            text.append("# ").append(section.category()).append('\n');
            for (Row row : section.rows()) line(row, text);
        }
        return text.toString();
    }

    private void line(Row row, StringBuilder text) {
        text.append(row.sku()).append(';').append(row.name()).append(';').append(row.sold()).append(';')
                .append(row.revenue());
        if (row.imported() && customs.apply(row.sku())) text.append(";customs");
        text.append('\n');
    }
}
