package com.brackenshaw.herbarium;

import com.acme.load.Load;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Random;

/** Serves scanned herbarium sheets to readers, who look at details of a sheet in several zoom steps. */
public final class SheetViewer {
    private static final int SIDE = 220;

    record Request(int sheet, int x, int y, int zoom, String knownTag) {}

    sealed interface Reply permits Unchanged, Detail, NotHere {}

    record Unchanged(String tag) implements Reply {}

    record Detail(String tag, byte[] grey) implements Reply {}

    record NotHere(int sheet) implements Reply {}

    /** A scan. The curators put a new one in its place after cleaning a sheet. */
    static final class Sheet {
        private final byte[] scan;
        private final MessageDigest digest;
        // [new] private String tag;

        Sheet(byte[] scan, MessageDigest digest) {
            this.scan = scan;
            this.digest = digest;
        }

        String tag() {
            return HexFormat.of().formatHex(digest.digest(scan)); // [call] [edit]
            // [new] if (tag == null)
            // [new]     tag = HexFormat.of().formatHex(digest.digest(scan));
            // [new] return tag;
        }

        /** A square of 64 pixels, smoothed between the pixels of the scan. */
        byte[] detail(int left, int top, int zoom) {
            byte[] grey = new byte[64 * 64];
            int step = 256 / zoom;
            for (int row = 0; row < 64; row++) {
                int y = (top << 8) + row * step, fy = y & 255, line = (y >> 8) * SIDE;
                for (int column = 0; column < 64; column++) {
                    int x = (left << 8) + column * step, fx = x & 255, at = line + (x >> 8);
                    int upper = (scan[at] & 255) * (256 - fx) + (scan[at + 1] & 255) * fx;
                    int lower = (scan[at + SIDE] & 255) * (256 - fx) + (scan[at + SIDE + 1] & 255) * fx;
                    grey[row * 64 + column] = (byte) (upper * (256 - fy) + lower * fy >> 16);
                }
            }
            return grey;
        }
    }

    private final MessageDigest digest;
    private final Random random = new Random(1753);
    private final Sheet[] cabinet = new Sheet[40];
    private final String[] lastTags = new String[cabinet.length];
    private long darkness;

    SheetViewer() {
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
        for (int i = 0; i < cabinet.length - 1; i++)
            cabinet[i] = scanned();
    }

    private Sheet scanned() {
        byte[] scan = new byte[SIDE * SIDE];
        random.nextBytes(scan);
        return new Sheet(scan, digest);
    }

    private Reply answer(Request request) {
        Sheet sheet = cabinet[request.sheet()];
        if (sheet == null)
            return new NotHere(request.sheet());
        String tag = sheet.tag();
        if (tag.equals(request.knownTag()))
            return new Unchanged(tag);
        return new Detail(tag, sheet.detail(request.x(), request.y(), request.zoom()));
    }

    /** Stretches the contrast of what the reader sees. */
    private void show(Detail detail) {
        int[] histogram = new int[256];
        for (byte pixel : detail.grey())
            histogram[pixel & 255]++;
        int low = 0, high = 255;
        for (int dark = 0; dark < 80; low++)
            dark += histogram[low];
        for (int bright = 0; bright < 80; high--)
            bright += histogram[high];
        int range = Math.max(1, high - low);
        for (byte pixel : detail.grey())
            darkness += Math.max(0, Math.min(255, ((pixel & 255) - low) * 255 / range));
    }

    void readers() {
        if (random.nextInt(4) == 0)
            cabinet[random.nextInt(cabinet.length - 1)] = scanned();
        for (int i = 0; i < 24; i++) {
            int number = random.nextInt(cabinet.length);
            String known = random.nextInt(8) == 0 ? lastTags[number] : null;
            Reply reply = answer(new Request(number, random.nextInt(SIDE - 66), random.nextInt(SIDE - 66), 1 << random.nextInt(4), known));
            if (reply instanceof Detail detail) {
                lastTags[number] = detail.tag();
                show(detail);
            } else if (reply instanceof Unchanged unchanged)
                darkness += unchanged.tag().length();
        }
        Load.kept = darkness;
    }

    public static void main(String[] args) {
        Load.onThreads(2, "reader", () -> new SheetViewer()::readers);
    }
}
