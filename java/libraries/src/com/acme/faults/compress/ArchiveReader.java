package com.acme.faults.compress;

import com.acme.load.Load;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.zip.CRC32;
import org.apache.commons.compress.archivers.sevenz.SevenZArchiveEntry;
import org.apache.commons.compress.archivers.sevenz.SevenZFile;
import org.apache.commons.compress.archivers.sevenz.SevenZMethod;
import org.apache.commons.compress.archivers.sevenz.SevenZOutputFile;

/** An importer that reads reports out of a 7z archive: counts the lines and the checksum of every entry. */
public final class ArchiveReader {
    private ArchiveReader() {}

    public static void main(String[] args) throws IOException {
        File archive = File.createTempFile("reports", ".7z");
        archive.deleteOnExit();
        try (SevenZOutputFile out = new SevenZOutputFile(archive)) {
            out.setContentCompression(SevenZMethod.BZIP2);
            Random random = new Random(3);
            for (int i = 0; i < 6; i++) {
                StringBuilder text = new StringBuilder();
                for (int row = 0; row < 600; row++) {
                    text.append("2024-0").append(1 + random.nextInt(9)).append(";branch ").append(random.nextInt(40))
                            .append(';').append(random.nextInt(1_000_000)).append(";paid\n");
                }
                SevenZArchiveEntry entry = new SevenZArchiveEntry();
                entry.setName("report-" + i + ".csv");
                out.putArchiveEntry(entry);
                out.write(text.toString().getBytes(StandardCharsets.US_ASCII));
                out.closeArchiveEntry();
            }
        }
        Load.onThreads(2, "import", () -> () -> Load.kept = read(archive));
    }

    private static long read(File archive) throws IOException {
        byte[] buffer = new byte[8192];
        long lines = 0;
        CRC32 sum = new CRC32();
        try (SevenZFile file = new SevenZFile(archive)) {
            while (file.getNextEntry() != null) {
                int length;
                while ((length = file.read(buffer)) > 0) {
                    sum.update(buffer, 0, length);
                    for (int i = 0; i < length; i++) {
                        if (buffer[i] == '\n') {
                            lines++;
                        }
                    }
                }
            }
        }
        return lines + sum.getValue();
    }
}
