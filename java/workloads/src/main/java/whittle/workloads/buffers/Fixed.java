package whittle.workloads.buffers;

/** The same work as {@link Slow} with a limit that a message fits under. See README.md for arguments and output. */
public final class Fixed {
    private Fixed() {}

    public static void main(String[] args) throws Exception {
        TemporaryBuffers.keepUpTo(64 * 1024);
        MessagingProgram.run(args);
    }
}
