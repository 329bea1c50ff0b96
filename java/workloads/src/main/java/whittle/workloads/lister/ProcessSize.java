package whittle.workloads.lister;

import java.io.IOException;

/**
 * The size of a process.
 *
 * @param sizeKb size of all mappings of the process
 * @param residentKb the part of the mappings that is in memory
 */
record ProcessSize(long pid, long sizeKb, long residentKb) {
    /** A way to find the size of a process. */
    interface Source {
        ProcessSize of(long pid) throws IOException;
    }
}
