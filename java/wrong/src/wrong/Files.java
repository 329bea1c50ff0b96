package wrong;

import java.io.BufferedReader;
import java.io.FileReader;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;

/** Against `keep-mapping` and `proc-copy`. */
final class Files {
    private static final int PART_BYTES = 1 << 16;

    private Files() {
    }

    static void addTo(Map<String, Supplier<Case>> cases) {
        cases.put("mapping-that-must-end", EndedMapping::new);
        cases.put("proc-file-that-changes", ChangingProc::new);
    }

    /** Ends its mappings, and counts those that are left. */
    static final class EndedMapping implements Case {
        private static final int MAPPINGS_COUNT = 200;
        private final Path file;
        private final FileChannel channel;

        EndedMapping() {
            try {
                file = Path.of("mapped").toAbsolutePath();
                java.nio.file.Files.write(file, new byte[PART_BYTES]);
                channel = FileChannel.open(file, StandardOpenOption.READ);
            } catch (Exception failure) {
                throw new IllegalStateException(failure);
            }
        }

        @Override
        public String round() throws Exception {
            long sum = 0;
            for (int count = 0; count < MAPPINGS_COUNT; count++) {
                sum += sum();
            }
            String maps = java.nio.file.Files.readString(Path.of("/proc/self/maps"));
            return sum + ", still mapped: " + maps.contains(file.toString());
        }

        private int sum() throws Exception {
            ByteBuffer part = channel.map(FileChannel.MapMode.READ_ONLY, 0, PART_BYTES);
            int sum = part.get(0) + part.get(PART_BYTES / 2);
            end(part);
            return sum;
        }

        private static void end(ByteBuffer mapping) throws Exception {
            Class<?> unsafe = Class.forName("sun.misc.Unsafe");
            Field only = unsafe.getDeclaredField("theUnsafe");
            only.setAccessible(true);
            Method cleaner = unsafe.getMethod("invokeCleaner", ByteBuffer.class);
            cleaner.invoke(only.get(null), mapping);
        }
    }

    /** Sees a thread that it has started. */
    static final class ChangingProc implements Case {
        @Override
        public String round() throws Exception {
            for (int count = 0; count < 200; count++) {
                threads();
            }
            CountDownLatch end = new CountDownLatch(1);
            int before = threads();
            Thread[] added = new Thread[2];
            for (int number = 0; number < added.length; number++) {
                added[number] = new Thread(() -> waitFor(end));
                added[number].start();
            }
            int after = threads();
            end.countDown();
            for (Thread thread : added) {
                thread.join();
            }
            return "more threads: " + (after > before);
        }

        private static void waitFor(CountDownLatch end) {
            try {
                end.await();
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        }

        private static int threads() throws Exception {
            try (BufferedReader lines = new BufferedReader(new FileReader("/proc/self/status"))) {
                return lines.lines().filter(line -> line.startsWith("Threads:"))
                    .mapToInt(line -> Integer.parseInt(line.substring("Threads:".length()).trim())).sum();
            }
        }
    }
}
