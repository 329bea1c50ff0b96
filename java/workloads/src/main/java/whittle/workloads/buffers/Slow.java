package whittle.workloads.buffers;

/** Threads do not keep temporary direct buffers: the limit is below a message. See README.md for arguments and output. */
public final class Slow {
    private Slow() {}

    public static void main(String[] args) throws Exception {
        TemporaryBuffers.keepUpTo(8 * 1024);
        MessagingProgram.run(args);
    }
}
