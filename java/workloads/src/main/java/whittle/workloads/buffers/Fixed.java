package whittle.workloads.buffers;

/** The same work as {@link Slow}, but the limit is larger than a message. See README.md for arguments and output. */
public final class Fixed {
    private Fixed() {}

    public static void main(String[] args) throws Exception {
        TemporaryBuffers.keepUpTo(64 * 1024);
        MessagingProgram.run(args);
    }
}
