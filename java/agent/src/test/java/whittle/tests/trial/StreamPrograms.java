package whittle.tests.trial;

import java.io.BufferedReader;
import java.io.DataOutputStream;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.FileReader;
import java.io.FileWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.RandomAccessFile;
import java.io.Reader;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;

/** Small programs with files. */
final class StreamPrograms {
    private static OutputStream field;
    private static FileOutputStream narrowField;

    private StreamPrograms() {
    }

    static void direct(File file) throws IOException {
        FileOutputStream out = new FileOutputStream(file);
        for (int index = 0; index < 1000; index++) {
            out.write(index);
        }
        out.close();
    }

    static void withResources(File file, boolean isLong) throws IOException {
        try (FileOutputStream out = new FileOutputStream(file)) {
            out.write(isLong ? new byte[10_000] : new byte[] {1});
            if (isLong) {
                out.write(2);
            }
            out.flush();
        }
    }

    static void argument(File file) throws IOException {
        DataOutputStream out = new DataOutputStream(new FileOutputStream(file, false));
        out.writeInt(7);
        out.writeUTF("seven");
        out.close();
    }

    static void choice(File file, boolean isAppended) throws IOException {
        FileOutputStream out = isAppended ? new FileOutputStream(file, true) : new FileOutputStream(file);
        out.write(3);
        out.close();
    }

    static void keptInField(File file) throws IOException {
        field = new FileOutputStream(file);
        field.write(9);
        field.close();
    }

    static OutputStream returned(File file) throws IOException {
        return new FileOutputStream(file);
    }

    static void loop(File file) throws IOException {
        FileOutputStream out = null;
        for (int index = 0; index < 3; index++) {
            if (out != null) {
                out.close();
            }
            out = new FileOutputStream(file, true);
            out.write(index);
        }
        out.close();
    }

    static void files(File file) throws IOException {
        OutputStream out = Files.newOutputStream(file.toPath());
        out.write("text".getBytes(StandardCharsets.UTF_8));
        out.close();
    }

    static void notClosed(File file) throws IOException {
        FileOutputStream out = new FileOutputStream(file);
        out.write(1);
    }

    static void channel(File file) throws IOException {
        FileOutputStream out = new FileOutputStream(file);
        out.write(1);
        out.getChannel().position(0);
        out.close();
    }

    static void narrow(File file) throws IOException {
        narrowField = new FileOutputStream(file);
        narrowField.close();
    }

    static void compared(File file) throws IOException {
        OutputStream out = new FileOutputStream(file);
        if (out instanceof FileOutputStream) {
            out.write(1);
        }
        out.close();
    }

    static void asObject(File file) throws IOException {
        OutputStream out = new FileOutputStream(file);
        String.valueOf(out);
        out.close();
    }

    static void descriptor() throws IOException {
        OutputStream out = new FileOutputStream(FileDescriptor.out);
        out.flush();
    }

    static void randomAccess(File file) throws IOException {
        RandomAccessFile out = new RandomAccessFile(file, "rw");
        out.close();
    }

    static int read(File file) throws IOException {
        FileInputStream in = new FileInputStream(file);
        int sum = 0;
        for (int next = in.read(); next >= 0; next = in.read()) {
            sum = sum * 31 + next;
        }
        in.close();
        return sum;
    }

    static int readFiles(File file) throws IOException {
        try (InputStream in = Files.newInputStream(file.toPath())) {
            return in.read() + in.available();
        }
    }

    static long skips(File file) throws IOException {
        try (FileInputStream in = new FileInputStream(file)) {
            return in.skip(5);
        }
    }

    static void write(File file) throws IOException {
        FileWriter out = new FileWriter(file, StandardCharsets.UTF_8);
        out.write("one");
        out.append('2').append("three");
        out.close();
    }

    static int readText(File file) throws IOException {
        try (FileReader in = new FileReader(file, StandardCharsets.UTF_8)) {
            return in.read() * 1000 + in.read(new char[3]);
        }
    }

    static String buffered(File file) throws IOException {
        try (BufferedReader in = new BufferedReader(new FileReader(file, StandardCharsets.UTF_8))) {
            return in.readLine();
        }
    }

    /** Returns how much of the first writer's text is in the file before the second one writes. */
    static long twoWriters(File file) throws IOException {
        try (OutputStream stream = new FileOutputStream(file)) {
            OutputStreamWriter first = new OutputStreamWriter(stream, StandardCharsets.UTF_8);
            OutputStreamWriter second = new OutputStreamWriter(stream, StandardCharsets.UTF_8);
            for (int count = 0; count < 5000; count++) {
                first.write('\u00e9');
            }
            long length = file.length();
            second.write("second");
            second.flush();
            first.flush();
            return length;
        }
    }

    static void notClosedWriter(File file) throws IOException {
        FileWriter out = new FileWriter(file, StandardCharsets.UTF_8);
        out.write("lost");
    }

    static void writesLong(File file) throws IOException {
        try (FileWriter out = new FileWriter(file, StandardCharsets.UTF_8)) {
            out.write("abc".repeat(7000), 1, 20_000);
            out.write('d');
            out.write("ef".toCharArray());
        }
    }

    static void flushed(File file) throws IOException {
        FileOutputStream out = new FileOutputStream(file);
        out.write(1);
        out.flush();
    }

    static void closedTwice(File file) throws IOException {
        FileOutputStream out = new FileOutputStream(file);
        out.write(1);
        out.close();
        out.close();
    }

    static InputStream returnedInput(File file) throws IOException {
        return new FileInputStream(file);
    }

    static InputStream returnedFiles(File file) throws IOException {
        return Files.newInputStream(file.toPath());
    }

    static Reader returnedReader(File file) throws IOException {
        return new FileReader(file, StandardCharsets.UTF_8);
    }

    static InputStream ofChannel(FileChannel channel) {
        return Channels.newInputStream(channel);
    }
}
