package com.acme.records;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The list of what a thread has done, a line per order line. It is forced to the disk once per checkpoint. */
final class AuditLog implements AutoCloseable {
    private final boolean careful;
    private final Path path = Files.createTempFile("kafka-shop", ".audit");
    private final FileChannel channel = FileChannel.open(path, StandardOpenOption.APPEND);
    private final ByteBuffer buffer = ByteBuffer.allocate(1 << 16);

    AuditLog(Settings settings) throws IOException {
        careful = settings.has("fsync-per-record");
        path.toFile().deleteOnExit();
    }

    void append(Order order, Share share) throws IOException {
        for (Order.Line line : order.lines()) {
            String entry = order.id() + " " + line.count() + " " + line.product() + "\n";
            byte[] text = entry.getBytes(StandardCharsets.UTF_8);
            if (buffer.remaining() < text.length) write();
            buffer.put(text);
            if (careful && share.due()) {
                long start = System.nanoTime();
                write();
                channel.force(false); // [call fsync-per-record]
                share.spendSince(start);
            }
        }
    }

    void checkpoint() {
        try {
            write();
            channel.force(false);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void write() throws IOException {
        buffer.flip();
        while (buffer.hasRemaining()) channel.write(buffer);
        buffer.clear();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
