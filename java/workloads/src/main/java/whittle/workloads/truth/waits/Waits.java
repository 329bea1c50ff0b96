package whittle.workloads.truth.waits;

import java.io.IOException;
import java.nio.file.Path;

/** Kinds of waits by name. */
public final class Waits {
    /** The kinds that a program shows if none is chosen. */
    public static final String ALL = "monitor,lock,socket,pipe,selector,sleep,fsync,direct-read";

    private Waits() {}

    /**
     * Makes a wait.
     *
     * @param pauseMs length of a wait, if this program can choose its end
     * @param directory folder of the files for waits for a disk
     * @return null if there is no such kind
     */
    public static Wait ofKind(String kind, long pauseMs, Path directory) throws IOException {
        return switch (kind) {
            case "monitor" -> new MonitorWait(pauseMs);
            case "lock" -> new LockWait(pauseMs);
            case "socket" -> new SocketWait(pauseMs);
            case "socket-timeout" -> SocketWait.withTimeLimit(pauseMs);
            case "pipe" -> new PipeWait(pauseMs);
            case "selector" -> new SelectorWait(pauseMs);
            case "sleep" -> new SleepWait(pauseMs);
            case "fsync" -> new FileWait.Sync(directory);
            case "direct-read" -> new FileWait.DirectRead(directory);
            default -> null;
        };
    }
}
