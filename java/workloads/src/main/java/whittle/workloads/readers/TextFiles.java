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
 * JVM. Sizes are spread around their mean, from half of it to one and a half.
 */
final class TextFiles {
    private static final String[] WORDS = {"order", "the", "of", "customer", "delivery", "and", "price", "street",
            "in", "quantity", "to", "a", "warehouse", "paid", "is", "number", "on", "returned", "with", "invoice"};
    private static final int WORDS_PER_LINE = 11;

    private TextFiles() {}

    /** Makes the files that are not there yet, and names them all. */
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

    /** Makes an empty folder among temporary files; {@link #remove} takes it away. */
    static File temporaryFolder() throws IOException {
        return Files.createTempDirectory("whittle-readers-").toFile();
    }

    static void remove(File folder, List<File> files) throws IOException {
        for (File file : files) {
            Files.deleteIfExists(file.toPath());
        }
        Files.deleteIfExists(folder.toPath());
    }

    /** The sizes of the first and the last file lie as far below and above the mean: their sum is nearly count * mean. */
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
