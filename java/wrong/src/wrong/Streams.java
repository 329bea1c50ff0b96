package wrong;

import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.FileReader;
import java.io.FileWriter;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.io.Reader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Supplier;

/** Against the buffers around streams, and `rarer-flush`. */
final class Streams {
    private static final int LENGTH = 4000;

    private Streams() {
    }

    static void addTo(Map<String, Supplier<Case>> cases) {
        cases.put("file-that-others-read", ReadByOthers::new);
        cases.put("file-that-changes-while-read", ChangedFile::new);
        cases.put("text-file-that-changes-while-read", ChangedTextFile::new);
        cases.put("flush-that-others-wait-for", Flushed::new);
    }

    /** Asks for the length of the file before it closes the stream. */
    static final class ReadByOthers implements Case {
        @Override
        public String round() throws Exception {
            File file = new File("written");
            try (OutputStream out = new FileOutputStream(file)) {
                for (int count = 0; count < LENGTH; count++) {
                    out.write(count);
                }
                return file.length() + " bytes";
            }
        }
    }

    /** Replaces a byte after the first one was read. */
    static final class ChangedFile implements Case {
        @Override
        public String round() throws Exception {
            File file = new File("changed");
            java.nio.file.Files.write(file.toPath(), new byte[LENGTH]);
            int sum = 0;
            try (InputStream in = new FileInputStream(file)) {
                for (int count = 0; count < LENGTH; count++) {
                    sum += in.read();
                    if (count == 0) {
                        replace(file, LENGTH / 2, new byte[] {9});
                    }
                }
            }
            return "sum " + sum;
        }
    }

    private static void replace(File file, int at, byte... content) throws Exception {
        try (RandomAccessFile other = new RandomAccessFile(file, "rw")) {
            other.seek(at);
            other.write(content);
        }
    }

    /** Replaces a character far behind the first one, which the decoder has not read. */
    static final class ChangedTextFile implements Case {
        @Override
        public String round() throws Exception {
            File file = new File("changed.txt");
            java.nio.file.Files.write(file.toPath(), "é".repeat(5 * LENGTH).getBytes(StandardCharsets.UTF_8));
            int others = 0;
            try (Reader in = new FileReader(file, StandardCharsets.UTF_8)) {
                for (int count = 0; count < 5 * LENGTH; count++) {
                    others += in.read() == 'é' ? 0 : 1;
                    if (count == 0) {
                        replace(file, 10_000, "à".getBytes(StandardCharsets.UTF_8));
                    }
                }
            }
            return others + " other characters";
        }
    }

    /** Reads its own file after each flush. */
    static final class Flushed implements Case {
        @Override
        public String round() throws Exception {
            File file = new File("flushed");
            try (Writer out = new FileWriter(file)) {
                for (int record = 0; record < 300; record++) {
                    write(out, "record");
                }
                return file.length() + " bytes";
            }
        }

        private static void write(Writer out, String record) throws Exception {
            out.write(record);
            out.flush();
        }
    }
}
