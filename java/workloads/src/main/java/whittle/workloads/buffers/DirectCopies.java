package whittle.workloads.buffers;

import java.nio.ByteBuffer;

/**
 * Direct copies of messages, made by the program itself instead of by the JDK: {@code --copies own}.
 *
 * <p>JDK 25 no longer clears its own temporary direct buffers, nor counts them against the limit on direct memory. There
 * the cost of not keeping them shows in full only where a program allocates them itself.
 */
final class DirectCopies {
    private final ByteBuffer[] copies;
    private final long limitBytes = TemporaryBuffers.limitBytes();

    /** Room for {@code count} copies at once. */
    DirectCopies(int count) {
        copies = new ByteBuffer[count];
    }

    /** Copies of the first {@code count} messages. */
    ByteBuffer[] of(ByteBuffer[] messages, int count) {
        for (int i = 0; i < count; i++) {
            ByteBuffer message = messages[i];
            if (copies[i] == null || copies[i].capacity() < message.remaining()) {
                copies[i] = ByteBuffer.allocateDirect(message.remaining());
            }
            copies[i].clear().put(message).flip();
        }
        return copies;
    }

    /** Frees the copies that are too large to be kept. */
    void release(int count) {
        for (int i = 0; i < count; i++) {
            if (copies[i].capacity() > limitBytes) {
                TemporaryBuffers.free(copies[i]);
                copies[i] = null;
            }
        }
    }
}
