package net.hooli.upload;

import com.acme.load.Load;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;

/** Log files are packed before they are sent to a collector on the local network. */
public final class Uploads {
    /** Compresses as much as possible. */
    static final class TightStream extends DeflaterOutputStream {
        TightStream(OutputStream out) {
            super(out, new Deflater(Deflater.BEST_COMPRESSION), 1 << 14); // [edit]
            // [new] super(out, new Deflater(Deflater.BEST_SPEED), 1 << 14);
        }

        @Override
        public void close() throws IOException {
            super.close();
            def.end();
        }
    }

    static byte[] log() {
        StringBuilder log = new StringBuilder();
        Random random = new Random(2);
        for (int i = 0; i < 3000; i++)
            log.append("2026-01-0").append(1 + random.nextInt(9)).append(" INFO pool-").append(random.nextInt(8))
               .append(" request /item/").append(random.nextInt(500)).append(" took ").append(random.nextInt(90)).append(" ms\n");
        return log.toString().getBytes(StandardCharsets.UTF_8);
    }

    static int send(byte[] log) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream(log.length);
        try (TightStream packed = new TightStream(body)) {
            for (int at = 0; at < log.length; at += 8192) packed.write(log, at, Math.min(8192, log.length - at)); // [call]
        } // [call]
        return body.size();
    }

    public static void main(String[] arguments) {
        byte[] log = log();
        Load.onThreads(2, "upload", () -> () -> Load.kept = send(log));
    }
}
