package whittle.workloads.lister;

import java.io.IOException;

/**
 * How large a process is.
 *
 * @param sizeKb all its mappings
 * @param residentKb the part of them that is in memory
 */
record ProcessSize(long pid, long sizeKb, long residentKb) {
    /** A way to find it out. */
    interface Source {
        ProcessSize of(long pid) throws IOException;
    }
}
