package whittle.workloads.lister;

import java.io.BufferedReader;
import java.io.FileReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Adds up the sizes of a process's mappings, so the kernel walks all of them. See README.md for arguments and output. */
public final class Slow {
    private Slow() {}

    public static void main(String[] args) throws IOException {
        ListerProgram.run(args, Slow::addUpMappings);
    }

    /** All processes share {@code [vsyscall]}, the page of system calls. It is left out here, as in the kernel's sizes. */
    private static ProcessSize addUpMappings(long pid) throws IOException {
        long sizeKb = 0;
        long residentKb = 0;
        boolean isOwn = true;
        try (BufferedReader lines =
                new BufferedReader(new FileReader("/proc/" + pid + "/smaps", StandardCharsets.ISO_8859_1))) {
            for (String line; (line = lines.readLine()) != null; ) {
                if (isFirstLine(line)) {
                    isOwn = !line.endsWith("[vsyscall]");
                } else if (isOwn) {
                    sizeKb += valueOf(line, "Size:");
                    residentKb += valueOf(line, "Rss:");
                }
            }
        }
        return new ProcessSize(pid, sizeKb, residentKb);
    }

    /** The first line of a mapping starts with a lower-case address. Its other lines start with an upper-case word. */
    private static boolean isFirstLine(String line) {
        return !Character.isUpperCase(line.charAt(0));
    }

    /** The number of kilobytes after {@code key} if the line starts with {@code key}, otherwise 0. */
    private static long valueOf(String line, String key) {
        if (!line.startsWith(key)) {
            return 0;
        }
        String value = line.substring(key.length(), line.lastIndexOf(' '));
        return Long.parseLong(value.strip());
    }
}
