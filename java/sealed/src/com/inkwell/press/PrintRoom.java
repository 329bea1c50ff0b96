package com.inkwell.press;

import com.acme.load.Load;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;

/** A print room: pages are screened to dots by whoever brings them, and a plate maker packs the dots for the drum. */
public final class PrintRoom {
    static final int WIDTH = 640, HEIGHT = 400;

    record Job(long[] dots, Consumer<byte[]> whenReady) {}

    static final class PlateMaker extends Thread {
        private final ConcurrentLinkedQueue<Job> tray = new ConcurrentLinkedQueue<>(); // [old]
        // [new] private final LinkedBlockingQueue<Job> tray = new LinkedBlockingQueue<>();
        private final byte[] plate = new byte[WIDTH * HEIGHT / 4];

        PlateMaker() {
            super("press-plates");
            setDaemon(true);
        }

        void bring(Job job) {
            tray.add(job);
        }

        private Job next() throws InterruptedException {
            for (Job job = tray.poll();; job = tray.poll()) { // [call] [edit]
                if (job != null) // [old]
                    return job; // [old]
                Thread.yield(); // [call] [edit]
            } // [old]
            // [new] return tray.take();
        }

        @Override
        public void run() {
            try {
                for (Job job = next(); !isInterrupted(); job = next())
                    job.whenReady.accept(engrave(job.dots));
            } catch (InterruptedException closing) {
                interrupt();
            }
        }

        private static long bit(long[] dots, int at) {
            return dots[at >> 6] >>> (at & 63) & 1;
        }

        /** Run lengths of black and white, without dots that have no neighbour. */
        private byte[] engrave(long[] dots) {
            int length = 1, run = 0;
            boolean black = false;
            for (int at = WIDTH; at < WIDTH * (HEIGHT - 1); at++) {
                boolean dot = bit(dots, at) != 0 && (bit(dots, at - 1) | bit(dots, at + 1)
                        | bit(dots, at - WIDTH) | bit(dots, at + WIDTH)) != 0;
                if (dot != black || run == 127) {
                    plate[length++] = (byte) (black ? run | 0x80 : run);
                    run = 0;
                    black = dot;
                    if (length == plate.length)
                        break;
                }
                run++;
            }
            plate[0] = (byte) run;
            return java.util.Arrays.copyOf(plate, length);
        }
    }

    /** Turns grey into dots, and spreads the error of each dot over those that follow. */
    static final class Screen {
        private final float[] here = new float[WIDTH + 2], below = new float[WIDTH + 2];

        long[] dots(float[] grey) {
            long[] dots = new long[WIDTH * HEIGHT / 64];
            java.util.Arrays.fill(below, 0);
            for (int y = 0; y < HEIGHT; y++) {
                System.arraycopy(below, 0, here, 0, here.length);
                java.util.Arrays.fill(below, 0);
                for (int x = 0; x < WIDTH; x++) {
                    float wanted = grey[y * WIDTH + x] + here[x + 1];
                    boolean black = wanted > 0.5f;
                    if (black)
                        dots[(y * WIDTH + x) >> 6] |= 1L << (x & 63);
                    float error = wanted - (black ? 1 : 0);
                    here[x + 2] += error * 7 / 16;
                    below[x] += error * 3 / 16;
                    below[x + 1] += error * 5 / 16;
                    below[x + 2] += error / 16;
                }
            }
            return dots;
        }
    }

    static float[] picture(int number) {
        float[] grey = new float[WIDTH * HEIGHT];
        for (int i = 0; i < grey.length; i++)
            grey[i] = 0.5f + 0.5f * (float) Math.sin((i % WIDTH) * 0.01 * number + (i / WIDTH) * 0.023);
        return grey;
    }

    public static void main(String[] args) {
        PlateMaker plates = new PlateMaker();
        plates.start();
        List<float[]> book = new ArrayList<>();
        for (int page = 1; page <= 4; page++)
            book.add(picture(page));
        Load.onThreads(1, "press", () -> {
            Screen screen = new Screen();
            LinkedBlockingQueue<byte[]> drum = new LinkedBlockingQueue<>(4);
            return () -> {
                long bytes = 0;
                for (float[] page : book)
                    plates.bring(new Job(screen.dots(page), drum::add));
                for (int page = 0; page < book.size(); page++)
                    bytes = bytes * 31 + java.util.Arrays.hashCode(drum.take());
                Load.kept = bytes;
            };
        });
    }
}
