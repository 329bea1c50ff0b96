package net.saltmarsh.radar;

import com.acme.load.Load;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;

/** Publishes the newest sweep of each coastal rain radar as a picture file which the harbour's panels map. */
public final class SweepBoard {
    static final int BEAMS = 360, GATES = 512, HEADER = 64;
    private static final AtomicInteger STATIONS = new AtomicInteger();

    /** One turn of the antenna: reflectivity in half decibels. */
    record Sweep(int station, long turn, short[][] beams) {}

    /** Stands for the receiver: showers that drift past the station, with some noise. */
    static final class Receiver {
        private final int station;
        private final SplittableRandom noise;
        private long turn;

        Receiver(int station) {
            this.station = station;
            this.noise = new SplittableRandom(station * 77L);
        }

        Sweep next() {
            turn++;
            short[][] beams = new short[BEAMS][GATES];
            int shower = (int) (turn * 3 % BEAMS), bits = noise.nextInt();
            for (int beam = 0; beam < BEAMS; beam++) {
                int off = Math.abs(beam - shower), swell = Math.max(0, 40 - off) * 3;
                for (int gate = 0; gate < GATES; gate++) {
                    bits = bits * 1664525 + 1013904223;
                    beams[beam][gate] = (short) ((bits >>> 28) + (gate > 90 && gate < 300 ? swell : 4));
                }
            }
            return new Sweep(station, turn, beams);
        }
    }

    /** Removes echoes of masts and ships: what stands alone against its neighbours and the turn before. */
    static final class ClutterFilter {
        private short[][] before = new short[BEAMS][GATES];

        short[][] clean(Sweep sweep) {
            short[][] cleaned = new short[BEAMS][GATES];
            for (int beam = 0; beam < BEAMS; beam++) {
                short[] left = sweep.beams()[(beam + BEAMS - 1) % BEAMS], own = sweep.beams()[beam];
                short[] right = sweep.beams()[(beam + 1) % BEAMS], old = before[beam];
                for (int gate = 1; gate < GATES - 1; gate++) {
                    int around = left[gate] + right[gate] + own[gate - 1] + own[gate + 1] + 2 * old[gate];
                    int level = own[gate] * 6 > around * 2 ? around / 6 : own[gate];
                    cleaned[beam][gate] = (short) ((level * 3 + old[gate]) / 4);
                }
            }
            before = sweep.beams();
            return cleaned;
        }
    }

    /** The picture of a station, as the panels know it: a header and a line of colours for each beam. */
    static final class Panel {
        private static final int SIZE = HEADER + BEAMS * GATES * 4;
        private final FileChannel file; // [old]
        // [new] private final MappedByteBuffer picture;
        private final byte[] line = new byte[GATES * 4];

        Panel(Path path) throws IOException {
            file = FileChannel.open(path, // [old]
            // [new] FileChannel file = FileChannel.open(path,
                    StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            // [new] picture = file.map(FileChannel.MapMode.READ_WRITE, 0, SIZE);
        }

        long show(Sweep sweep, short[][] levels) throws IOException {
            MappedByteBuffer picture = file.map(FileChannel.MapMode.READ_WRITE, 0, SIZE); // [edit]
            long wet = 0;
            for (int beam = 0; beam < BEAMS; beam++) {
                wet += paint(levels[beam]);
                picture.put(HEADER + beam * line.length, line); // [call]
            }
            picture.putInt(0, sweep.station()).putLong(8, sweep.turn());
            return wet * 31 + picture.getInt(HEADER + 4 * (int) (sweep.turn() % (BEAMS * GATES)));
        }

        private int paint(short[] levels) {
            int wet = 0;
            for (int gate = 0, at = 0; gate < GATES; gate++) {
                int level = levels[gate];
                wet += level > 20 ? 1 : 0;
                line[at++] = (byte) Math.min(255, level * 2);
                line[at++] = (byte) (level > 60 ? 255 - level : level);
                line[at++] = (byte) Math.max(0, 200 - level);
                line[at++] = (byte) (level > 8 ? 255 : 0);
            }
            return wet;
        }
    }

    private static Load.Unit station(Path folder) {
        int number = STATIONS.incrementAndGet();
        Receiver receiver = new Receiver(number);
        ClutterFilter filter = new ClutterFilter();
        try {
            Panel panel = new Panel(folder.resolve("station-" + number + ".pic"));
            return () -> {
                Sweep sweep = receiver.next();
                Load.kept = panel.show(sweep, filter.clean(sweep));
            };
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    public static void main(String[] args) throws IOException {
        Path folder = Files.createTempDirectory("sweeps");
        Load.onThreads(2, "antenna", () -> station(folder));
    }
}
