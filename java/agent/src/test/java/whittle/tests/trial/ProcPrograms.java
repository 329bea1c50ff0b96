package whittle.tests.trial;

import java.io.BufferedReader;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileReader;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Scanner;
import java.util.stream.Stream;

/** Small programs that read files. */
final class ProcPrograms {
    private ProcPrograms() {
    }

    static String reader(String path) throws Exception {
        try (BufferedReader reader = new BufferedReader(new FileReader(path))) {
            return reader.readLine();
        }
    }

    static String readerOf(String path) throws Exception {
        try (BufferedReader reader = new BufferedReader(new FileReader(new File(path), StandardCharsets.UTF_8))) {
            return reader.readLine();
        }
    }

    static String stream(String path) throws Exception {
        try (InputStream in = new FileInputStream(path)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n")[0];
        }
    }

    static String scanner(String path) throws Exception {
        try (Scanner scanner = new Scanner(Path.of(path), StandardCharsets.UTF_8)) {
            return scanner.nextLine();
        }
    }

    static String lines(String path) throws Exception {
        try (Stream<String> lines = Files.lines(Path.of(path))) {
            return lines.findFirst().orElseThrow();
        }
    }

    static String text(String path) throws Exception {
        return Files.readString(Path.of(path), StandardCharsets.UTF_8).split("\n")[0];
    }

    static String scannedText(String text) {
        return new Scanner(text).next() + new Scanner(new StringReader(text)).next();
    }
}
