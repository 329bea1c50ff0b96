package whittle.workloads.crc;

import whittle.workloads.crc.slow.ExtOutputStream;

/** One byte per write: the stream under the CRC is not buffered. See README.md for arguments and output. */
public final class Slow {
    private Slow() {}

    public static void main(String[] args) throws Exception {
        CrcProgram.run(args, ExtOutputStream::new, BodyWrites.ONE_PER_BYTE);
    }
}
