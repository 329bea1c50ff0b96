package whittle.tests.trial;

import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Small programs that map files. */
final class MappedPrograms {
    private MappedPrograms() {
    }

    /** Two mappings do not share their positions. */
    static int read(FileChannel channel) throws Exception {
        int first = map(channel, MapMode.READ_ONLY).getInt();
        MappedByteBuffer second = map(channel, MapMode.READ_ONLY);
        return first * 10 + second.getInt() + second.position();
    }

    static int written(FileChannel channel) throws Exception {
        MappedByteBuffer view = map(channel, MapMode.READ_WRITE);
        view.putInt(0, view.getInt(0) + 1);
        return map(channel, MapMode.READ_ONLY).getInt();
    }

    static MappedByteBuffer map(FileChannel channel, MapMode mode) throws Exception {
        return channel.map(mode, 0, 4);
    }

    /** Maps, reads and ends the mapping, in the way that libraries use before Java 22. */
    public static void main(String... arguments) throws Exception {
        Class<?> type = Class.forName("sun.misc.Unsafe");
        java.lang.reflect.Field field = type.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        java.lang.reflect.Method end = type.getMethod("invokeCleaner", ByteBuffer.class);
        Path file = Path.of(arguments[0]);
        java.nio.file.Files.write(file, new byte[] {0, 0, 0, 7});
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            int sum = 0;
            for (int round = 0; round < 5; round++) {
                MappedByteBuffer view = map(channel, MapMode.READ_ONLY);
                sum += view.getInt();
                end.invoke(field.get(null), view);
            }
            end.invoke(field.get(null), ByteBuffer.allocateDirect(1));
            System.out.println(sum);
        }
    }
}
