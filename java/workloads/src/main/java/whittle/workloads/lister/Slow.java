package whittle.workloads.lister;

import java.io.BufferedReader;
import java.io.FileReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Adds up the sizes of all mappings of a process, which the kernel walks for it. See README.md for arguments and output. */
public final class Slow {
    private Slow() {}

    public static void main(String[] args) throws IOException {
        ListerProgram.run(args, Slow::addUpMappings);
    }

    /** The page of system calls that every process shares, {@code [vsyscall]}, is not its own: the kernel leaves it out. */
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

    /** A mapping's first line starts with its address in lower case, the others with a word in upper case. */
    private static boolean isFirstLine(String line) {
        return !Character.isUpperCase(line.charAt(0));
    }

    /** The number of kilobytes behind {@code key} if the line starts with it, else 0. */
    private static long valueOf(String line, String key) {
        if (!line.startsWith(key)) {
            return 0;
        }
        String value = line.substring(key.length(), line.lastIndexOf(' '));
        return Long.parseLong(value.strip());
    }
}
