package java.whittle.trial;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Copies of files in `/proc`, which the kernel computes anew for each reader. Other files have no copy. */
public final class Snapshots {
    private static final String PROC = "/proc/";
    /** Each thread sees other files there. */
    private static final String OF_THREAD = "/proc/thread-self/";
    /** Files that end, and that nobody consumes by reading them. */
    private static final Set<String> NAMES = new HashSet<>(Arrays.asList("smaps", "smaps_rollup", "maps", "numa_maps", "status", "stat",
        "statm", "io", "limits", "mountinfo", "mounts", "cmdline", "cgroup", "sched", "schedstat", "meminfo", "cpuinfo", "vmstat",
        "interrupts", "softirqs", "slabinfo", "loadavg", "uptime", "diskstats", "zoneinfo", "buddyinfo", "tcp", "tcp6", "udp", "udp6",
        "unix", "dev", "snmp", "netstat", "sockstat"));
    private static final long MAX_AGE_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int BLOCK_BYTES = 1 << 16;

    private Snapshots() {
    }

    private static final class Copy {
        final File file;
        final long timeNs;

        Copy(File file, long timeNs) {
            this.file = file;
            this.timeNs = timeNs;
        }
    }

    /** The path of the copy. */
    public static String of(String path, int place) {
        Places.count(place);
        File copy = path == null ? null : copy(path, place);
        return copy == null ? path : copy.getPath();
    }

    /** The copy. */
    public static File of(File file, int place) {
        Places.count(place);
        File copy = file == null ? null : copy(file.getPath(), place);
        return copy == null ? file : copy;
    }

    /** The path of the copy. */
    public static Path of(Path path, int place) {
        Places.count(place);
        File copy = path == null ? null : copy(path.toString(), place);
        return copy == null ? path : copy.toPath();
    }

    /** Null: the file has no copy, and the program opens the file itself. */
    private static File copy(String path, int place) {
        if (!path.startsWith(PROC) || path.startsWith(OF_THREAD) || !NAMES.contains(path.substring(path.lastIndexOf('/') + 1))) {
            return null;
        }
        Memory memory = Memory.of(place);
        synchronized (memory) {
            Copy[] known = (Copy[]) memory.get(path);
            if (known == null) {
                memory.put(path, new Copy[1]);
                known = (Copy[]) memory.get(path);
            }
            if (known != null && (known[0] == null || System.nanoTime() - known[0].timeNs > MAX_AGE_NS)) {
                known[0] = renewed(path, known[0]);
            }
            // A memory that is full has no copy.
            return known == null || known[0] == null ? null : known[0].file;
        }
    }

    /** A thread that still reads the old copy keeps its content, because the name gets a new file. Only the user can read it. */
    private static Copy renewed(String path, Copy old) {
        try {
            byte[] content = read(path);
            Path whole = Files.createTempFile("whittle-proc", null);
            Files.write(whole, content);
            if (old == null) {
                whole.toFile().deleteOnExit();
                return new Copy(whole.toFile(), System.nanoTime());
            }
            Files.move(whole, old.file.toPath(), StandardCopyOption.ATOMIC_MOVE);
            return new Copy(old.file, System.nanoTime());
        } catch (IOException | RuntimeException unreadable) {
            return null;
        }
    }

    private static byte[] read(String path) throws IOException {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        byte[] block = new byte[BLOCK_BYTES];
        try (FileInputStream stream = new FileInputStream(path)) {
            for (int length = stream.read(block); length >= 0; length = stream.read(block)) {
                content.write(block, 0, length);
            }
        }
        return content.toByteArray();
    }
}
