package whittle.workloads.readers;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** How many system calls of the read family this process has made, according to the kernel. */
final class ReadCalls {
    static final long UNAVAILABLE = -1;

    private ReadCalls() {}

    /** From {@code /proc/self/io}. A call is counted when it ends, so the call that reads the count is not included. */
    static long soFar() {
        byte[] bytes = new byte[1024];
        try (InputStream in = new FileInputStream("/proc/self/io")) {
            int length = Math.max(in.read(bytes), 0);
            for (String line : new String(bytes, 0, length, StandardCharsets.ISO_8859_1).split("\n")) {
                if (line.startsWith("syscr: ")) {
                    return Long.parseLong(line.substring("syscr: ".length()));
                }
            }
        } catch (IOException e) {
            // The kernel has no such count, or the file cannot be read.
        }
        return UNAVAILABLE;
    }
}
