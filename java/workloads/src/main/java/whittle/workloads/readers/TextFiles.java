package whittle.workloads.readers;

import java.io.BufferedOutputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Text files in a folder: words and line ends in ASCII. The same number and size give the same bytes on every machine and
 * JVM. Sizes vary from 0.5 to 1.5 times their mean.
 */
final class TextFiles {
    private static final String[] WORDS = {"order", "the", "of", "customer", "delivery", "and", "price", "street",
            "in", "quantity", "to", "a", "warehouse", "paid", "is", "number", "on", "returned", "with", "invoice"};
    private static final int WORDS_PER_LINE = 11;

    private TextFiles() {}

    /** Creates the missing files, and returns all files. */
    static List<File> in(File folder, int count, int meanBytes) throws IOException {
        List<File> files = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            File file = new File(folder, "text-" + i + ".txt");
            long bytes = bytesOf(i, count, meanBytes);
            if (file.length() != bytes) {
                write(file, bytes, new Random(i));
            }
            files.add(file);
        }
        return files;
    }

    /** Creates an empty temporary folder. {@link #remove} removes it. */
    static File temporaryFolder() throws IOException {
        return Files.createTempDirectory("whittle-readers-").toFile();
    }

    static void remove(File folder, List<File> files) throws IOException {
        for (File file : files) {
            Files.deleteIfExists(file.toPath());
        }
        Files.deleteIfExists(folder.toPath());
    }

    /** Sizes are symmetric around the mean, so the sum of all sizes is nearly count * mean. */
    private static long bytesOf(int index, int count, int meanBytes) {
        return meanBytes / 2 + (long) meanBytes * (2 * index + 1) / (2L * count);
    }

    private static void write(File file, long bytes, Random random) throws IOException {
        try (OutputStream out = new BufferedOutputStream(new FileOutputStream(file))) {
            long written = 0;
            for (int word = 1; written < bytes; word++) {
                String text = WORDS[random.nextInt(WORDS.length)] + (word % WORDS_PER_LINE == 0 ? '\n' : ' ');
                for (int i = 0; i < text.length() && written < bytes; i++, written++) {
                    out.write(text.charAt(i));
                }
            }
        }
    }
}
