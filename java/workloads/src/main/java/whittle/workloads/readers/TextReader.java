package whittle.workloads.readers;

import java.io.File;
import java.io.IOException;

/** One way to read a text file and check all its characters. */
interface TextReader {
    /** Reads the file to its end. The files are ASCII, so a byte is a character. */
    void read(File file, Seen seen) throws IOException;
}
