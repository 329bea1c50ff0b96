package whittle.workloads.buffers;

import java.nio.ByteBuffer;

/**
 * Direct copies of messages that the program makes itself, instead of the JDK: {@code --copies own}.
 *
 * <p>JDK 25 does not clear its own temporary direct buffers and does not count them against the limit of direct memory. So
 * on JDK 25, buffers that are not kept have their full cost only if the program itself allocates them.
 */
final class DirectCopies {
    private final ByteBuffer[] copies;
    private final long limitBytes = TemporaryBuffers.limitBytes();

    /** Creates room for {@code count} copies at the same time. */
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
