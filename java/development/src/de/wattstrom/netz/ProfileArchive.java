package de.wattstrom.netz;

import com.acme.load.Load;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Archives the quarter-hour load profile of transformer stations, one file per station and day. */
public final class ProfileArchive {
    private static final int QUARTERS = 96;
    private static final int HARMONICS = 40;

    record Station(String code, int feeders, double ratedKva) {}

    record Quarter(int index, double kw, double kvar, int flags) {}

    /** The day as it is put together from feeder readings. */
    static final class DayBuilder {
        private final Station station;
        private final double[] active = new double[QUARTERS];
        private final double[] reactive = new double[QUARTERS];
        private long noise;

        DayBuilder(Station station, int day) {
            this.station = station;
            this.noise = station.code().hashCode() * 31L + day;
        }

        DayBuilder addFeeder(int feeder) {
            for (int i = 0; i < QUARTERS; i++) {
                noise = noise * 6364136223846793005L + 1442695040888963407L;
                double ripple = (noise >>> 40) / (double) (1 << 24);
                double evening = Math.exp(-Math.pow((i - 74 - feeder % 5) / 9.0, 2));
                double kva = station.ratedKva() / station.feeders() * (0.3 + 0.4 * evening + 0.1 * ripple);
                active[i] += kva * Math.cos(0.3 + 0.1 * ripple);
                reactive[i] += kva * Math.sin(0.3 + 0.1 * ripple);
            }
            return this;
        }

        List<Quarter> build() {
            double[] kw = dropHarmonicsAbove(HARMONICS, active), kvar = dropHarmonicsAbove(HARMONICS, reactive);
            List<Quarter> day = new ArrayList<>(QUARTERS);
            for (int i = 0; i < QUARTERS; i++) {
                int flags = (kw[i] > station.ratedKva() * 0.8 ? 1 : 0) | (active[i] > kw[i] * 1.1 ? 2 : 0);
                day.add(new Quarter(i, kw[i], kvar[i], flags));
            }
            return day;
        }

        private double[] dropHarmonicsAbove(int limit, double[] power) {
            double[] result = new double[QUARTERS];
            for (int h = 0; h <= limit; h++) {
                double re = 0, im = 0, step = 2 * Math.PI * h / QUARTERS;
                for (int i = 0; i < QUARTERS; i++) {
                    re += power[i] * Math.cos(step * i);
                    im -= power[i] * Math.sin(step * i);
                }
                double weight = (h == 0 ? 1.0 : 2.0) / QUARTERS;
                for (int i = 0; i < QUARTERS; i++)
                    result[i] += weight * (re * Math.cos(step * i) - im * Math.sin(step * i));
            }
            return result;
        }
    }

    static final class ArchiveFile implements Closeable {
        private final DataOutputStream out;

        ArchiveFile(Path file, Station station) throws IOException {
            out = new DataOutputStream(Files.newOutputStream(file)); // [edit]
            // [new] out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)));
            out.writeUTF(station.code());
        }

        void append(Quarter quarter) throws IOException {
            out.writeLong(Math.round(quarter.kw() * 10) << 32 | Math.round(quarter.kvar() * 10)); // [call]
            out.writeShort(quarter.index() << 2 | quarter.flags()); // [call]
        }

        @Override
        public void close() throws IOException {
            out.close();
        }
    }

    private static Load.Unit archiver(Path folder, int office) {
        List<Station> stations = List.of(new Station("UW-Nord-" + office, 6, 630), new Station("UW-Hafen-" + office, 9, 1000),
                new Station("ON-Mühlweg-" + office, 4, 400));
        int[] day = {0};
        return () -> {
            Station station = stations.get(day[0]++ % stations.size());
            DayBuilder builder = new DayBuilder(station, day[0]);
            for (int feeder = 0; feeder < station.feeders(); feeder++)
                builder.addFeeder(feeder);
            Path file = folder.resolve(station.code() + ".profile");
            double peak = 0;
            try (ArchiveFile archive = new ArchiveFile(file, station)) {
                for (Quarter quarter : builder.build()) {
                    archive.append(quarter);
                    peak = Math.max(peak, Math.hypot(quarter.kw(), quarter.kvar()));
                }
            }
            Load.kept = station.code() + " " + peak + " " + Files.size(file);
        };
    }

    public static void main(String[] args) throws IOException {
        Path folder = Files.createTempDirectory("profiles");
        int[] office = {0};
        Load.onThreads(2, "archiver", () -> archiver(folder, office[0]++));
    }
}
