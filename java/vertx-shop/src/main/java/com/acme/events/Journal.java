package com.acme.events;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.file.AsyncFile;
import io.vertx.core.file.OpenOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The journal of an event loop's orders: written by Vert.x without blocking, and flushed once per second. */
final class Journal {
    /** The blocking variant begins again at this length, so that the disk does not fill. */
    private static final long LIMIT = 4 << 20;

    private final boolean blocking;
    private final Share share;
    private final AsyncFile file;
    private final FileChannel channel;
    private long end;

    Journal(Vertx vertx, Settings settings) throws IOException {
        blocking = settings.has("file-on-loop");
        share = new Share(settings);
        Path path = Files.createTempFile("vertx-shop", ".journal");
        path.toFile().deleteOnExit();
        if (blocking) {
            channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
            file = null;
        } else {
            channel = null;
            file = vertx.fileSystem().openBlocking(path.toString(), new OpenOptions().setAppend(true));
            vertx.setPeriodic(1000, timer -> file.flush());
        }
    }

    Future<Void> append(Buffer entry) {
        if (!blocking) return file.write(entry);
        try {
            share.request();
            while (share.due()) {
                long start = System.nanoTime();
                appendAndVerify(ByteBuffer.wrap(entry.getBytes())); // [edit file-on-loop]
                share.spendSince(start);
            }
            return Future.succeededFuture();
        } catch (IOException e) {
            return Future.failedFuture(e);
        }
    }

    private void appendAndVerify(ByteBuffer entry) throws IOException {
        if (end > LIMIT) end = 0;
        ByteBuffer written = ByteBuffer.allocate(entry.remaining());
        channel.write(entry, end); // [call file-on-loop]
        channel.force(false); // [call file-on-loop]
        channel.read(written, end); // [call file-on-loop]
        if (written.flip().compareTo(entry.flip()) != 0) throw new IOException("the journal is damaged");
        end += entry.limit();
    }
}
