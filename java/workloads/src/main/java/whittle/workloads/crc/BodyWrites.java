package whittle.workloads.crc;

/** How the body of a document reaches the {@code FileOutputStream}. Tests compare a profiler's result with it. */
enum BodyWrites {
    /** {@code ExtOutputStream.write(int)} calls {@code FileOutputStream.write(int)} for every byte. */
    ONE_PER_BYTE,
    /** {@code BufferedOutputStream.flushBuffer()} calls {@code FileOutputStream.write(byte[],int,int)} when full. */
    ONE_PER_BUFFER;

    /** Default size of {@code java.io.BufferedOutputStream} on a platform thread, JDK 1.0 to 25. */
    private static final long BUFFER_BYTES = 8192;

    /** Calls of {@code FileOutputStream.write(int)} for one body. */
    long byteWriteCount(long bodyBytes) {
        return this == ONE_PER_BYTE ? bodyBytes : 0;
    }

    /** Calls of {@code FileOutputStream.write(byte[],int,int)} for one body. The last buffer can be partly full. */
    long bufferWriteCount(long bodyBytes) {
        return this == ONE_PER_BUFFER ? (bodyBytes + BUFFER_BYTES - 1) / BUFFER_BYTES : 0;
    }
}
