package io.frostmark.snow;

import com.acme.load.Load;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** Sends the snow depths of mountain stations to the valley as a packed bundle, which the valley unpacks. */
public final class StationBundle {
    static final class Packed extends GZIPOutputStream {
        Packed(OutputStream out) throws IOException {
            super(out, 8192);
            def.setLevel(Deflater.BEST_COMPRESSION); // [edit]
            // [new] def.setLevel(Deflater.BEST_SPEED);
        }
    }

    private final double[] depths = new double[900];

    private String report(Random random) {
        StringBuilder report = new StringBuilder(64_000);
        for (int hour = 0; hour < 3; hour++)
            for (int station = 0; station < depths.length; station++) {
                for (int minute = 0; minute < 60; minute += 4)
                    depths[station] = Math.max(0, depths[station] * 0.998 + random.nextGaussian() * 0.3);
                report.append("station=").append(station).append(" hour=").append(hour).append(" depth=")
                        .append(Math.round(depths[station] * 100)).append(depths[station] > 1 ? " snow\n" : " clear\n");
            }
        return report.toString();
    }

    static byte[] pack(byte[] report) throws IOException {
        ByteArrayOutputStream bundle = new ByteArrayOutputStream(report.length / 3);
        try (Packed out = new Packed(bundle)) {
            out.write(report); // [call]
        }
        return bundle.toByteArray();
    }

    static long unpack(byte[] bundle) throws IOException {
        CRC32 sum = new CRC32();
        byte[] part = new byte[8192];
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(bundle), 8192)) {
            for (int length = in.read(part); length > 0; length = in.read(part))
                sum.update(part, 0, length);
        }
        return sum.getValue();
    }

    void send() throws IOException {
        java.util.Arrays.fill(depths, 0);
        byte[] report = report(new Random(3_000)).getBytes(StandardCharsets.US_ASCII);
        Load.kept = unpack(pack(report));
    }

    public static void main(String[] args) {
        Load.onThreads(1, "station", () -> new StationBundle()::send);
    }
}
