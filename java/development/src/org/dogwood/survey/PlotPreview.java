package org.dogwood.survey;

import com.acme.load.Load;
import java.awt.Rectangle;
import java.awt.image.BufferedImage;
import java.awt.image.ConvolveOp;
import java.awt.image.Kernel;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** Rates the seedlings on a trial plot that lies somewhere in a drone's photo. */
public final class PlotPreview {
    private static final int RIM = 2;

    record Photo(BufferedImage pixels, Rectangle plot) {}

    record Rating(int seedlings, double cover, int exposure) {}

    private final ExecutorService crew;
    private final List<Photo> photos;
    private final ConvolveOp crispen;

    private PlotPreview() {
        AtomicInteger worker = new AtomicInteger();
        crew = Executors.newFixedThreadPool(2, task -> {
            Thread thread = new Thread(task, "survey-crew-" + worker.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        photos = IntStream.range(0, 6).mapToObj(PlotPreview::fly).toList();
        float[] weights = new float[25];
        java.util.Arrays.fill(weights, -0.04f);
        weights[12] = 1.96f;
        crispen = new ConvolveOp(new Kernel(5, 5, weights), ConvolveOp.EDGE_NO_OP, null);
    }

    private static Photo fly(int flight) {
        BufferedImage image = new BufferedImage(400, 300, BufferedImage.TYPE_INT_RGB);
        for (int y = 0; y < 300; y++)
            for (int x = 0; x < 400; x++) {
                int leaf = (x + flight * 7) % 29 < 9 && (y + flight) % 23 < 8 ? 90 : 0;
                int grain = (x * 31 + y * 17 + x * y) % 37;
                image.setRGB(x, y, (90 + grain - leaf / 2) << 16 | (80 + grain + leaf) << 8 | (50 + grain));
            }
        return new Photo(image, new Rectangle(20 + flight * 30, 15 + flight * 20, 170, 130));
    }

    private void flight() {
        List<CompletableFuture<Rating>> ratings = photos.stream()
                .map(photo -> CompletableFuture.supplyAsync(() -> plotOf(photo), crew)
                        .thenApplyAsync(plot -> rate(plot, photo.pixels), crew))
                .toList();
        Load.kept = ratings.stream().map(CompletableFuture::join).toList();
    }

    private BufferedImage plotOf(Photo photo) {
        Rectangle plot = photo.plot;
        BufferedImage crisp = crispen.filter(photo.pixels, null); // [call] [edit]
        // [new] BufferedImage crisp = crispen.filter(photo.pixels.getSubimage(plot.x - RIM, plot.y - RIM, plot.width + 2 * RIM, plot.height + 2 * RIM), null);
        return crisp.getSubimage(plot.x, plot.y, plot.width, plot.height); // [old]
        // [new] return crisp.getSubimage(RIM, RIM, plot.width, plot.height);
    }

    private static Rating rate(BufferedImage plot, BufferedImage photo) {
        int width = plot.getWidth(), height = plot.getHeight();
        int[] pixels = plot.getRGB(0, 0, width, height, null, 0, width);
        int[] patch = new int[pixels.length];
        int green = 0, patches = 0;
        for (int i = 0; i < pixels.length; i++) {
            int red = pixels[i] >> 16 & 255, leaf = pixels[i] >> 8 & 255, blue = pixels[i] & 255;
            if (2 * leaf - red - blue < 60)
                continue;
            green++;
            int above = i >= width ? patch[i - width] : 0, left = i % width > 0 ? patch[i - 1] : 0;
            patch[i] = above != 0 ? above : left != 0 ? left : ++patches;
        }
        long light = 0;
        int[] line = new int[photo.getWidth()];
        for (int y = 0; y < photo.getHeight(); y++) {
            photo.getRaster().getDataElements(0, y, line.length, 1, line);
            for (int pixel : line)
                light += (int) Math.sqrt((pixel >> 16 & 255) * 299 + (pixel >> 8 & 255) * 587 + (pixel & 255) * 114);
        }
        return new Rating(patches, green / (double) pixels.length, (int) (light / (line.length * photo.getHeight())));
    }

    public static void main(String[] args) {
        System.setProperty("java.awt.headless", "true");
        Load.onThreads(1, "survey", () -> new PlotPreview()::flight);
    }
}
