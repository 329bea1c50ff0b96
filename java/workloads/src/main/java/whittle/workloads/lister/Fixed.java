package whittle.workloads.lister;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Reads the sizes that the kernel keeps for each process. See README.md for arguments and output. */
public final class Fixed {
    /** Page size of Linux on x86-64. On other machines, the sizes are wrong, but the work is the same. */
    private static final long PAGE_KB = 4;

    private Fixed() {}

    public static void main(String[] args) throws IOException {
        ListerProgram.run(args, Fixed::readStoredSize);
    }

    private static ProcessSize readStoredSize(long pid) throws IOException {
        try (FileInputStream file = new FileInputStream("/proc/" + pid + "/statm")) {
            String[] pages = new String(file.readAllBytes(), StandardCharsets.ISO_8859_1).split(" ");
            return new ProcessSize(pid, Long.parseLong(pages[0]) * PAGE_KB, Long.parseLong(pages[1]) * PAGE_KB);
        }
    }
}
