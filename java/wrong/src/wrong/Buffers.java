package wrong;

import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Against `reuse`. */
final class Buffers {
    private static final int SIZE_BYTES = 1 << 18;

    private Buffers() {
    }

    static void addTo(Map<String, Supplier<Case>> cases) {
        cases.put("buffer-kept-by-a-channel", KeptByChannel::new);
        cases.put("buffer-in-a-field", InField::new);
    }

    /** Keeps messages until the peer has confirmed them. */
    private static final class Retransmission implements WritableByteChannel {
        final List<ByteBuffer> unconfirmed = new ArrayList<>();

        @Override
        public int write(ByteBuffer message) {
            unconfirmed.add(message);
            return message.remaining();
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {
            unconfirmed.clear();
        }
    }

    /** The channel is the program's own, and keeps the buffer. */
    static final class KeptByChannel implements Case {
        @Override
        public String round() throws Exception {
            Retransmission channel = new Retransmission();
            for (int number = 1; number <= 4; number++) {
                send(channel, number);
            }
            return "the oldest message is " + channel.unconfirmed.get(0).getInt(0);
        }

        private static void send(WritableByteChannel channel, int number) throws Exception {
            ByteBuffer message = ByteBuffer.allocateDirect(SIZE_BYTES);
            message.putInt(0, number);
            channel.write(message);
        }
    }

    /** Asks whether it has got a new buffer. */
    static final class InField implements Case {
        private ByteBuffer last;
        private int changes;

        @Override
        public String round() {
            for (int number = 0; number < 4; number++) {
                next();
            }
            return changes + " buffers";
        }

        private void next() {
            ByteBuffer buffer = ByteBuffer.allocateDirect(SIZE_BYTES);
            changes += buffer == last ? 0 : 1;
            last = buffer;
        }
    }
}
