package whittle.workloads.readers;

/** Reads files byte by byte without a buffer. See README.md for arguments and output. */
public final class Slow {
    private Slow() {}

    public static void main(String[] args) throws Exception {
        ReadersProgram.run(args, new RawBytes());
    }
}
