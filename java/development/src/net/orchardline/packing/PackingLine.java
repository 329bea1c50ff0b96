package net.orchardline.packing;

import com.acme.load.Load;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/** Grades apples from camera readings and hands them to the packer, who fills the crates. */
public final class PackingLine {
    record Apple(int weight, int grade) {}

    /** The chute between two work places: holds one thing, and whoever comes early waits. */
    static final class Chute<T> {
        private T held;

        synchronized T pull() throws InterruptedException {
            while (held == null)
                wait(); // [call]
            T thing = held;
            held = null;
            notifyAll(); // [call]
            return thing;
        }

        synchronized void push(T thing) throws InterruptedException {
            while (held != null)
                wait(); // [call]
            held = thing;
            notifyAll(); // [call]
        }
    }

    /** Looks at an apple through the camera: a small picture with spots. */
    static final class Camera {
        private final Random random;
        private final int[][] picture = new int[68][68];

        Camera(long seed) {
            random = new Random(seed);
        }

        Apple look() {
            int tone = random.nextInt(90), noise = random.nextInt();
            for (int[] line : picture)
                for (int x = 0; x < line.length; x++) {
                    noise = noise * 1664525 + 1013904223;
                    line[x] = tone + (noise >>> 26);
                }
            return new Apple(120 + tone + random.nextInt(60), grade());
        }

        private int grade() {
            int spots = 0, rim = 0;
            for (int y = 1; y + 1 < picture.length; y++)
                for (int x = 1; x + 1 < picture[y].length; x++) {
                    int around = picture[y - 1][x] + picture[y + 1][x] + picture[y][x - 1] + picture[y][x + 1];
                    spots += picture[y][x] * 4 > around + 90 ? 1 : 0;
                    rim += Math.abs(picture[y][x] * 4 - around) / 16;
                }
            return spots > 424 ? 3 : rim > 20500 ? 2 : 1;
        }
    }

    /** Fills crates of one grade each up to their weight; runs on a thread of its own. */
    static final class Packer extends Thread {
        private final Chute<Apple> in; // [old]
        // [new] private final Chute<List<Apple>> in;
        private final int[] open = new int[4];
        private volatile long crates;

        Packer(String name, Chute<Apple> in) { // [old]
        // [new] Packer(String name, Chute<List<Apple>> in) {
            super(name);
            this.in = in;
            setDaemon(true);
        }

        @Override
        public void run() {
            try {
                for (;;)
                    pack(in.pull()); // [edit]
                    // [new] in.pull().forEach(this::pack);
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        }

        private void pack(Apple apple) {
            open[apple.grade] += apple.weight;
            if (open[apple.grade] > 6000) {
                open[apple.grade] = 0;
                crates++;
            }
        }
    }

    private static final AtomicInteger LINES = new AtomicInteger();

    private static Load.Unit line() {
        int number = LINES.incrementAndGet();
        Camera camera = new Camera(number);
        Chute<Apple> chute = new Chute<>(); // [old]
        // [new] Chute<List<Apple>> chute = new Chute<>();
        Packer packer = new Packer("orchard-packer-" + number, chute);
        packer.start();
        return () -> {
            List<Apple> tray = new ArrayList<>();
            long weight = 0;
            for (int i = 0; i < 60; i++)
                tray.add(camera.look());
            for (Apple apple : tray)
                weight = weight * 31 + apple.weight * 4L + apple.grade;
            for (Apple apple : tray) // [edit]
                chute.push(apple); // [edit]
            // [new] chute.push(tray);
            Load.kept = weight + " " + (packer.crates >= 0);
        };
    }

    public static void main(String[] args) {
        Load.onThreads(2, "orchard", PackingLine::line);
    }
}
