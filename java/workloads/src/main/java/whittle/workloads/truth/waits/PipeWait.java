package whittle.workloads.truth.waits;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;

/** Reads from a pipe. */
final class PipeWait extends AnsweredWait {
    private final Pipe pipe = Pipe.open();
    private final ByteBuffer readByte = ByteBuffer.allocateDirect(1);
    private final ByteBuffer sentByte = ByteBuffer.allocateDirect(1);

    PipeWait(long pauseMs) throws IOException {
        super("pipe", "pipe", pauseMs);
    }

    @Override
    void answer() throws IOException {
        pipe.sink().write(sentByte.clear());
    }

    @Override
    public void waitOnce() throws IOException {
        if (pipe.source().read(readByte.clear()) < 0) {
            throw new EOFException("the pipe has ended");
        }
    }
}
