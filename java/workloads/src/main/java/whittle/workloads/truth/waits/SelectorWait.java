package whittle.workloads.truth.waits;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;

/** Waits in a selector until one of its channels becomes readable. */
final class SelectorWait extends AnsweredWait {
    private final Selector selector = Selector.open();
    private final Pipe pipe = Pipe.open();
    private final ByteBuffer readByte = ByteBuffer.allocateDirect(1);
    private final ByteBuffer sentByte = ByteBuffer.allocateDirect(1);

    SelectorWait(long pauseMs) throws IOException {
        super("selector", "poll", pauseMs);
        pipe.source().configureBlocking(false);
        pipe.source().register(selector, SelectionKey.OP_READ);
    }

    @Override
    void answer() throws IOException {
        pipe.sink().write(sentByte.clear());
    }

    @Override
    public void waitOnce() throws IOException {
        selector.select();
        selector.selectedKeys().clear();
        pipe.source().read(readByte.clear());
    }
}
