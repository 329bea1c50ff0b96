package whittle.tests.trial;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.function.IntSupplier;
import java.util.zip.CRC32;

/** Small programs whose arrays and direct buffers can be kept, or cannot. */
final class KeptPrograms {
    private static byte[] stored;

    private KeptPrograms() {
    }

    static int sum(int length) {
        int[] cells = new int[length];
        int sum = 0;
        for (int index = 0; index < length; index++) {
            sum += cells[index];
            cells[index] = index;
        }
        return sum + cells.length + Arrays.hashCode(cells);
    }

    /** Each round must find zeros. */
    static int rounds(int count) {
        int old = 0;
        for (int round = 0; round < count; round++) {
            byte[] block = new byte[100];
            for (byte value : block) {
                old += value;
            }
            Arrays.fill(block, (byte) 1);
        }
        return old;
    }

    static int recursive(int depth) {
        int[] own = new int[1];
        own[0] = depth;
        int below = depth == 0 ? 0 : recursive(depth - 1);
        return own[0] + below * 10;
    }

    static int failing(boolean isFailing) {
        int[] own = new int[1];
        if (isFailing) {
            throw new IllegalStateException("planned");
        }
        return own[0]++;
    }

    static int negative(int length) {
        return new int[length].length;
    }

    static String allTypes(int length) {
        boolean[] booleans = new boolean[length];
        char[] chars = new char[length];
        float[] floats = new float[length];
        double[] doubles = new double[length];
        byte[] bytes = new byte[length];
        short[] shorts = new short[length];
        long[] longs = new long[length];
        String text = Arrays.toString(booleans) + Arrays.toString(chars) + Arrays.toString(floats) + Arrays.toString(doubles)
            + Arrays.toString(bytes) + Arrays.toString(shorts) + Arrays.toString(longs);
        Arrays.fill(booleans, true);
        Arrays.fill(chars, 'x');
        Arrays.fill(floats, 1);
        Arrays.fill(doubles, 1);
        Arrays.fill(bytes, (byte) 1);
        Arrays.fill(shorts, (short) 1);
        Arrays.fill(longs, 1);
        return text;
    }

    static long read(InputStream in) throws IOException {
        CRC32 check = new CRC32();
        byte[] block = new byte[64];
        for (int length = in.read(block); length >= 0; length = in.read(block)) {
            check.update(block, 0, length);
        }
        return check.getValue();
    }

    static int earlier() {
        int same = 0;
        byte[] last = null;
        for (int round = 0; round < 5; round++) {
            byte[] next = new byte[1];
            next[0] = (byte) round;
            same += last != null && last[0] == next[0] ? 1 : 0;
            last = next;
        }
        return same;
    }

    static byte[] returned() {
        return new byte[1];
    }

    static int storedInField() {
        stored = new byte[1];
        return stored.length;
    }

    static int passed() {
        byte[] own = new byte[1];
        return ownMethod(own);
    }

    private static int ownMethod(byte[] bytes) {
        stored = bytes;
        return bytes.length;
    }

    static int captured() {
        byte[] own = new byte[1];
        IntSupplier later = () -> own.length;
        return later.getAsInt();
    }

    static Object inArray() {
        return new byte[][] {new byte[1]};
    }

    static int wrapped() {
        return ByteBuffer.wrap(new byte[1]).remaining();
    }

    static long written(Path path) throws IOException {
        ByteBuffer message = ByteBuffer.allocateDirect(1 << 16);
        long old = message.getLong(8);
        message.putLong(1).putLong(2).flip();
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
            channel.write(message, 0);
            return old + channel.size();
        }
    }

    static String orders() {
        ByteBuffer message = ByteBuffer.allocateDirect(8);
        String state = message.toString() + message.order();
        message.order(ByteOrder.LITTLE_ENDIAN).putInt(1).mark().limit(6);
        ByteBuffer part = message.duplicate();
        part.put(0, (byte) 7);
        return state + message.get(0) + message.get(1);
    }

    private static ByteBuffer space() {
        return ByteBuffer.allocateDirect(3000);
    }

    static long packed(int number) {
        ByteBuffer frame = space();
        int old = frame.getInt(0);
        frame.putInt(number).flip();
        CRC32 check = new CRC32();
        check.update(frame);
        return check.getValue() + old;
    }

    private static ByteBuffer space(int bytes) {
        return ByteBuffer.allocateDirect(bytes);
    }

    static int sized(int bytes) {
        ByteBuffer frame = space(bytes);
        int old = frame.get(0);
        frame.put(0, (byte) 1);
        return old + frame.capacity();
    }

    static ByteBuffer sliced() {
        return ByteBuffer.allocateDirect(8).slice();
    }

    static int viewed() {
        return ByteBuffer.allocateDirect(8).asIntBuffer().remaining();
    }

    static void later(Path path) throws Exception {
        try (AsynchronousFileChannel channel = AsynchronousFileChannel.open(path, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.allocateDirect(8), 0).get();
        }
    }
}
