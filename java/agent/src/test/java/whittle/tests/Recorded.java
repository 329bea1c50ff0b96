package whittle.tests;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.whittle.Marks;

/** The marks of a test, without those of items and threads that began before. Each mark is a text: "begin 1 http GET /", "enter 1", "end 1 200". Ids are counted from 1. */
final class Recorded implements Marks.Recorder, AutoCloseable {
    private static final String[] WHAT = {"", "begin", "end", "enter", "leave", "park", "resume", "finish", "statement", "executed",
        "span", "trace", "block", "return"};
    private static final String[] KIND = {"", "http", "task", "topic", "scheduled", "grpc", "server"};

    /** Tasks of the program that runs the tests. */
    private static final String MAVEN = "org.apache.maven.";

    /** A mark as the agent made it. */
    private record Made(int what, long id, int kind, int status, byte[] name) {
    }

    /** Marks are also made between two stays of a virtual thread on its carriers, where nothing may wait for a lock. */
    private final Queue<Made> made = new ConcurrentLinkedQueue<>();
    private final Set<Long> ofMaven = new HashSet<>();
    private final Map<Long, Integer> ids = new HashMap<>();
    private final List<String> marks = new ArrayList<>();

    Recorded() {
        Marks.recordWith(this);
    }

    @Override
    public void mark(int what, long id, int kind, int status, byte[] name) {
        made.add(new Made(what, id, kind, status, name));
    }

    private void read(Made mark) {
        int what = mark.what;
        String name = new String(mark.name, StandardCharsets.UTF_8);
        if (name.startsWith(MAVEN)) {
            ofMaven.add(mark.id);
        }
        // Threads, statements and items have their own ids.
        boolean isOfItem = what < 5 || what == 10 || what == 11;
        boolean isOfStatement = what == 8 || what == 9;
        long key = isOfItem ? mark.id : isOfStatement ? ~mark.id << 32 : -mark.id;
        boolean isFirst = what == 1 || what == 6 || what == 8;
        if (ofMaven.contains(mark.id) || !isFirst && !ids.containsKey(key)) {
            return;
        }
        int number = ids.computeIfAbsent(key, unknown -> ids.size() + 1);
        StringBuilder text = new StringBuilder(WHAT[what]).append(' ').append(number);
        if (mark.kind != 0) {
            text.append(' ').append(KIND[mark.kind]).append(' ').append(name);
        }
        if (what == 9 || what == 10) {
            text.append(' ').append(name);
        } else if (what == 11) {
            text.append(' ').append(HexFormat.of().formatHex(mark.name));
        }
        if (mark.status != 0) {
            text.append(' ').append(mark.status);
        }
        marks.add(text.toString());
    }

    synchronized List<String> all() {
        for (Made mark = made.poll(); mark != null; mark = made.poll()) {
            read(mark);
        }
        return new ArrayList<>(marks);
    }

    synchronized void clear() {
        made.clear();
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
