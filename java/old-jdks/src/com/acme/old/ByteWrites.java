package com.acme.old;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Writes a file byte by byte, without a buffer. Prints the number of calls of {@code write}. */
public final class ByteWrites {
    private static long calls;

    private ByteWrites() {}

    public static void main(String[] arguments) throws IOException {
        File file = File.createTempFile("old-jdks", ".bytes");
        file.deleteOnExit();
        while (Run.goesOn()) {
            try (OutputStream stream = new FileOutputStream(file)) {
                writeReport(stream);
            }
        }
        System.out.println("write_calls=" + calls);
    }

    private static void writeReport(OutputStream stream) throws IOException {
        for (int i = 0; i < 20_000; i++) {
            stream.write(i); // [edit byte-writes]
            calls++;
        }
    }
}
