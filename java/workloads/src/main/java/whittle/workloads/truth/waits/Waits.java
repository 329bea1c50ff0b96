package whittle.workloads.truth.waits;

import java.io.IOException;
import java.nio.file.Path;

/** All kinds of waits by name. */
public final class Waits {
    public static final String ALL = "monitor,lock,socket,pipe,selector,sleep,fsync,direct-read";

    private Waits() {}

    /**
     * Makes a wait.
     *
     * @param pauseMs how long a wait lasts whose end is ours to choose
     * @param directory where the files are of the waits for a disk
     * @return null if there is no such kind
     */
    public static Wait ofKind(String kind, long pauseMs, Path directory) throws IOException {
        return switch (kind) {
            case "monitor" -> new MonitorWait(pauseMs);
            case "lock" -> new LockWait(pauseMs);
            case "socket" -> new SocketWait(pauseMs);
            case "pipe" -> new PipeWait(pauseMs);
            case "selector" -> new SelectorWait(pauseMs);
            case "sleep" -> new SleepWait(pauseMs);
            case "fsync" -> new FileWait.Sync(directory);
            case "direct-read" -> new FileWait.DirectRead(directory);
            default -> null;
        };
    }
}
