package whittle.tests;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.whittle.Marks;

/** The marks of a test, without those of items and threads that began before. Each mark is a text: "begin 1 http GET /", "enter 1", "end 1 200". Ids are counted from 1. */
final class Recorded implements Marks.Recorder, AutoCloseable {
    private static final String[] WHAT = {"", "begin", "end", "enter", "leave", "park", "resume", "finish", "statement", "executed",
        "span", "trace"};
    private static final String[] KIND = {"", "http", "task", "topic", "scheduled", "grpc", "server"};

    /** Tasks of the program that runs the tests. */
    private static final String MAVEN = "org.apache.maven.";

    private final Set<Long> ofMaven = new HashSet<>();
    private final Map<Long, Integer> ids = new HashMap<>();
    private final List<String> marks = new ArrayList<>();

    Recorded() {
        Marks.recordWith(this);
    }

    @Override
    public synchronized void mark(int what, long id, int kind, int status, byte[] name) {
        if (new String(name, StandardCharsets.UTF_8).startsWith(MAVEN)) {
            ofMaven.add(id);
        }
        // Threads, statements and items have their own ids.
        long key = what < 5 || what > 9 ? id : what < 8 ? -id : ~id << 32;
        boolean isFirst = what == 1 || what == 6 || what == 8;
        if (ofMaven.contains(id) || !isFirst && !ids.containsKey(key)) {
            return;
        }
        int number = ids.computeIfAbsent(key, unknown -> ids.size() + 1);
        StringBuilder text = new StringBuilder(WHAT[what]).append(' ').append(number);
        if (kind != 0) {
            text.append(' ').append(KIND[kind]).append(' ').append(new String(name, StandardCharsets.UTF_8));
        }
        if (what == 9 || what == 10) {
            text.append(' ').append(new String(name, StandardCharsets.UTF_8));
        } else if (what == 11) {
            text.append(' ').append(HexFormat.of().formatHex(name));
        }
        if (status != 0) {
            text.append(' ').append(status);
        }
        marks.add(text.toString());
    }

    synchronized List<String> all() {
        return new ArrayList<>(marks);
    }

    synchronized void clear() {
        marks.clear();
        ids.clear();
    }

    /** Waits until there are this many marks. */
    List<String> await(int count) throws InterruptedException {
        for (int attempt = 0; attempt < 200 && all().size() < count; attempt++) {
            Thread.sleep(10);
        }
        return all();
    }

    @Override
    public void close() {
        Marks.recordWith(null);
    }
}
