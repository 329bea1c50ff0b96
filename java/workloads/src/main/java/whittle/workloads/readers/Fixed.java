package whittle.workloads.readers;

/** The same as {@link Slow}, but with a buffer. */
public final class Fixed {
    private Fixed() {}

    public static void main(String[] args) throws Exception {
        ReadersProgram.run(args, new BufferedBytes());
    }
}
