package whittle.workloads.crc;

import whittle.workloads.crc.fixed.ExtOutputStream;

/** The same work as {@link Slow}, but with a buffer below the CRC. See README.md for arguments and output. */
public final class Fixed {
    private Fixed() {}

    public static void main(String[] args) throws Exception {
        CrcProgram.run(args, ExtOutputStream::new, BodyWrites.ONE_PER_BUFFER);
    }
}
