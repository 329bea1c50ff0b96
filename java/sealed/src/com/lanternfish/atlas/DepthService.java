package com.lanternfish.atlas;

import com.acme.load.Load;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** Answers survey ships: reads the depths along a route from a chart file and fits a profile of the sea floor to them. */
public final class DepthService {
    static final int WIDTH = 2048, HEIGHT = 2048;

    record Fix(int x, int y) {}

    record Profile(int shallowest, int deepest, double[] curve) {}

    /** A chart with one depth in centimetres for each cell, row by row. */
    static final class Chart implements AutoCloseable {
        private final FileChannel channel;
        // [new] private final MappedByteBuffer depths;

        Chart(Path file) throws IOException {
            channel = FileChannel.open(file, StandardOpenOption.READ);
            // [new] depths = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
        }

        int[] along(List<Fix> route) throws IOException {
            MappedByteBuffer depths = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size()); // [edit]
            int[] centimetres = new int[route.size()];
            int i = 0;
            for (Fix fix : route)
                centimetres[i++] = depths.getInt((fix.y() * WIDTH + fix.x()) * Integer.BYTES); // [call]
            return centimetres;
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    private final Chart chart;
    private final ExecutorService pool;

    DepthService(Chart chart, ExecutorService pool) {
        this.chart = chart;
        this.pool = pool;
    }

    CompletableFuture<Profile> survey(long seed) {
        return CompletableFuture.supplyAsync(() -> route(seed), pool)
                .thenApplyAsync(route -> {
                    try {
                        return chart.along(route);
                    } catch (IOException failure) {
                        throw new UncheckedIOException(failure);
                    }
                }, pool)
                .thenApplyAsync(DepthService::fit, pool);
    }

    private static List<Fix> route(long seed) {
        Random random = new Random(seed);
        List<Fix> route = new ArrayList<>();
        double x = random.nextInt(WIDTH), y = 0, drift = random.nextDouble() - 0.5;
        for (; y < HEIGHT; y += 4) {
            x = (x + drift * 4 + random.nextGaussian() + WIDTH) % WIDTH;
            route.add(new Fix((int) x, (int) y));
        }
        return route;
    }

    /** Smooths the depths with a wide bell. */
    private static Profile fit(int[] depths) {
        int reach = 240, low = Integer.MAX_VALUE, high = Integer.MIN_VALUE;
        double[] curve = new double[depths.length];
        for (int i = 0; i < depths.length; i++) {
            double sum = 0, weights = 0;
            for (int k = Math.max(0, i - reach); k <= Math.min(depths.length - 1, i + reach); k++) {
                double weight = Math.exp(-(i - k) * (i - k) / 9000.0);
                sum += weight * depths[k];
                weights += weight;
            }
            curve[i] = sum / weights;
            low = Math.min(low, depths[i]);
            high = Math.max(high, depths[i]);
        }
        return new Profile(low, high, curve);
    }

    private static Path drawChart() throws IOException {
        Path file = Files.createTempDirectory("atlas").resolve("chart.bin");
        ByteBuffer cells = ByteBuffer.allocate(WIDTH * HEIGHT * Integer.BYTES);
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++)
                cells.putInt((int) (4000 + 900 * Math.sin(x / 90.0) * Math.cos(y / 140.0)));
        Files.write(file, cells.array());
        file.toFile().deleteOnExit();
        return file;
    }

    public static void main(String[] args) throws IOException {
        Chart chart = new Chart(drawChart());
        AtomicInteger number = new AtomicInteger();
        ExecutorService pool = Executors.newFixedThreadPool(2, task -> new Thread(task, "survey-pool-" + number.incrementAndGet()));
        DepthService service = new DepthService(chart, pool);
        AtomicInteger ships = new AtomicInteger();
        Load.onThreads(2, "survey", () -> () -> Load.kept = service.survey(ships.incrementAndGet()).join());
    }
}
