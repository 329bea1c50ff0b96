package whittle.workloads.crc;

import whittle.workloads.crc.slow.ExtOutputStream;

/** One byte per write, because the stream below the CRC has no buffer. See README.md for arguments and output. */
public final class Slow {
    private Slow() {}

    public static void main(String[] args) throws Exception {
        CrcProgram.run(args, ExtOutputStream::new, BodyWrites.ONE_PER_BYTE);
    }
}
