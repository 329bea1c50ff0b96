package java.whittle.trial;

import java.io.IOException;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Mappings that are made once for each part of an open file. The program gets a new view of the kept mapping each time, and the mapping
 * stays until the JVM ends.
 */
public final class Mappings {
    private static final ConcurrentHashMap<View, View> VIEWS = new ConcurrentHashMap<>();
    private static final ReferenceQueue<ByteBuffer> FORGOTTEN = new ReferenceQueue<>();

    private Mappings() {
    }

    /** A part of an open file. */
    private static final class Part {
        final FileChannel channel;
        final long position;
        final long size;

        Part(FileChannel channel, long position, long size) {
            this.channel = channel;
            this.position = position;
            this.size = size;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Part && ((Part) other).channel == channel && ((Part) other).position == position
                && ((Part) other).size == size;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(channel) + 31 * Long.hashCode(position) + 961 * Long.hashCode(size);
        }
    }

    /** A view that the program got. Buffers compare their contents, so this compares the objects. */
    private static final class View extends WeakReference<ByteBuffer> {
        private final int hash;

        View(ByteBuffer buffer, ReferenceQueue<ByteBuffer> queue) {
            super(buffer, queue);
            hash = System.identityHashCode(buffer);
        }

        @Override
        public boolean equals(Object other) {
            return this == other || other instanceof View && get() != null && ((View) other).get() == get();
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }

    /** Instead of `map` of the channel. Mappings that can be written are made each time. */
    public static MappedByteBuffer map(FileChannel channel, FileChannel.MapMode mode, long position, long size, int place)
        throws IOException {
        Places.count(place);
        boolean isKept = mode == FileChannel.MapMode.READ_ONLY && position >= 0 && size > 0 && channel.isOpen()
            && size <= channel.size() - position;
        if (!isKept) {
            return channel.map(mode, position, size);
        }
        Part part = new Part(channel, position, size);
        MappedByteBuffer whole = (MappedByteBuffer) Memory.of(place).get(part);
        if (whole == null) {
            Memory.of(place).put(part, channel.map(mode, position, size));
            whole = (MappedByteBuffer) Memory.of(place).get(part);
        }
        return whole == null ? channel.map(mode, position, size) : view(whole);
    }

    private static MappedByteBuffer view(MappedByteBuffer whole) {
        for (Reference<?> gone = FORGOTTEN.poll(); gone != null; gone = FORGOTTEN.poll()) {
            VIEWS.remove(gone);
        }
        MappedByteBuffer buffer = (MappedByteBuffer) whole.duplicate();
        View view = new View(buffer, FORGOTTEN);
        VIEWS.put(view, view);
        return buffer;
    }

    /** The program wants to end the mapping of this buffer, but a place keeps the mapping. */
    public static boolean isKept(ByteBuffer buffer) {
        return buffer != null && VIEWS.containsKey(new View(buffer, null));
    }
}
