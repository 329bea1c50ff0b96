package org.quarrydeep.survey;

import com.acme.load.Load;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.concurrent.atomic.LongAdder;

/** Reads the scans of drill cores slab by slab and estimates where the ore is. */
public final class CoreSurvey {
    /** Counts the views that are open, for the survey's status page. */
    static final class Desk {
        static final LongAdder OPEN = new LongAdder();
    }

    /** A part of a resource that must be given back. */
    abstract static class Lease implements AutoCloseable {
        private boolean closed;

        Lease() { // [call]
            Desk.OPEN.increment();
        }

        @Override
        public void close() {
            if (closed) return;
            closed = true;
            Desk.OPEN.decrement();
        }

        @Override // [old]
        protected void finalize() { // [edit]
            close(); // [edit]
        } // [old]
    }

    /** The bytes of one slab of a core. */
    static final class SlabView extends Lease {
        private final ByteBuffer scan;
        private final int start, length;

        SlabView(ByteBuffer scan, int start, int length) {
            this.scan = scan;
            this.start = start;
            this.length = length;
        }

        int grey(int pixel) {
            return scan.get(start + pixel) & 255;
        }

        int length() {
            return length;
        }
    }

    /** Goes down a core from slab to slab. */
    static final class Descent implements Iterator<SlabView> {
        private final ByteBuffer scan;
        private final int height;
        private int at;

        Descent(ByteBuffer scan, int height) {
            this.scan = scan;
            this.height = height;
        }

        @Override
        public boolean hasNext() {
            return at + height <= scan.limit();
        }

        @Override
        public SlabView next() {
            if (!hasNext()) throw new NoSuchElementException();
            SlabView view = new SlabView(scan, at, height);
            at += height;
            return view;
        }
    }

    /** Entropy and contrast of a slab: ore shines and is grainy. */
    private static double shine(SlabView slab, int[] histogram) {
        java.util.Arrays.fill(histogram, 0);
        int edges = 0, before = slab.grey(0);
        for (int pixel = 0; pixel < slab.length(); pixel++) {
            int grey = slab.grey(pixel);
            histogram[grey >> 3]++;
            edges += Math.abs(grey - before);
            before = grey;
        }
        double entropy = 0;
        for (int bin : histogram) {
            if (bin > 0) {
                double share = (double) bin / slab.length();
                entropy -= share * Math.log(share);
            }
        }
        return entropy * edges / slab.length();
    }

    private static double survey(ByteBuffer scan, int[] histogram) {
        double best = 0;
        Iterator<SlabView> descent = new Descent(scan, 384);
        while (descent.hasNext()) {
            try (SlabView slab = descent.next()) {
                best = Math.max(best, shine(slab, histogram));
            }
        }
        return best;
    }

    public static void main(String[] args) {
        Load.onThreads(2, "survey", () -> {
            ByteBuffer scan = ByteBuffer.allocate(512 * 1000);
            for (int i = 0; i < scan.limit(); i++) {
                double rock = 90 + 60 * Math.sin(i / 9000.0) + 30 * Math.sin(i * 0.37) + i * 31 % 41;
                scan.put(i, (byte) Math.max(0, Math.min(255, rock)));
            }
            int[] histogram = new int[32];
            return () -> Load.kept = survey(scan, histogram);
        });
    }
}
