package org.gannet.print;

import com.acme.load.Load;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** Renders pages for printers. Before each page it asks whether the process of the spooler is still there. */
public final class SpoolWatch {
    /** The checks that a page needs, by name. */
    private final Map<String, BooleanSupplier> checks = new LinkedHashMap<>();
    private final long spooler;
    private final int[] paper = new int[1200];

    SpoolWatch(long spooler) {
        this.spooler = spooler;
        checks.put("paper", () -> paper.length > 100);
        checks.put("spooler", this::spoolerRuns);
    }

    boolean spoolerRuns() {
        return ProcessHandle.allProcesses().anyMatch(process -> process.pid() == spooler); // [call] [edit]
        // [new] return ProcessHandle.of(spooler).isPresent();
    }

    List<String> ready() {
        List<String> missing = new ArrayList<>();
        checks.forEach((name, check) -> {
            if (!check.getAsBoolean()) missing.add(name);
        });
        return missing;
    }

    /** Draws circles and lines into the rows of a page, as runs of bits. */
    void render(int page) {
        Arrays.fill(paper, page);
        for (int shape = 0; shape < 300; shape++) {
            int x = shape * 37 % 32, radius = 5 + shape % 400;
            for (int row = Math.max(0, 600 - radius); row < Math.min(paper.length, 600 + radius); row++) {
                int half = (int) Math.sqrt((double) radius * radius - (row - 600.0) * (row - 600));
                paper[row] ^= Integer.rotateLeft(half * 2654435, x);
            }
        }
    }

    byte[] pack() {
        byte[] out = new byte[paper.length * 5];
        int length = 0, last = 0, run = 0;
        for (int row : paper) {
            if (row == last) {
                run++;
                continue;
            }
            out[length++] = (byte) run;
            for (int shift = 0; shift < 32; shift += 8) out[length++] = (byte) (row >>> shift);
            last = row;
            run = 0;
        }
        return Arrays.copyOf(out, length);
    }

    void page() {
        List<String> missing = ready();
        if (!missing.isEmpty()) throw new IllegalStateException("not ready: " + missing);
        for (int part = 0; part < 3; part++) {
            render(part);
            Load.kept = pack();
        }
    }

    public static void main(String[] arguments) {
        long spooler = ProcessHandle.current().pid();
        Load.onThreads(2, "spool", () -> new SpoolWatch(spooler)::page);
    }
}
