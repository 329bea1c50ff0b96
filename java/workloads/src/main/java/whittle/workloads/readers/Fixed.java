package whittle.workloads.readers;

/** {@link Slow} with a buffer between. */
public final class Fixed {
    private Fixed() {}

    public static void main(String[] args) throws Exception {
        ReadersProgram.run(args, new BufferedBytes());
    }
}
