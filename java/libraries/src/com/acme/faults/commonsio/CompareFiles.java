package com.acme.faults.commonsio;

import com.acme.load.Load;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.apache.commons.io.FileUtils;

/** A backup job: compares each source file with its copy, and records a digest of the source. */
public final class CompareFiles {
    private static final int FILES = 12;

    private CompareFiles() {}

    public static void main(String[] args) throws IOException {
        Path root = Files.createTempDirectory("backup");
        root.toFile().deleteOnExit();
        List<File> sources = new ArrayList<>(), copies = new ArrayList<>();
        Random random = new Random(7);
        for (int i = 0; i < FILES; i++) {
            StringBuilder text = new StringBuilder();
            while (text.length() < 60_000) {
                text.append("entry ").append(random.nextInt(100_000)).append(" = ")
                        .append(Long.toHexString(random.nextLong())).append('\n');
            }
            byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
            sources.add(write(root.resolve("source-" + i), bytes));
            copies.add(write(root.resolve("copy-" + i), bytes));
        }
        Load.onThreads(2, "backup", () -> {
            int[] next = {0};
            return () -> Load.kept = verify(sources.get(next[0]), copies.get(next[0]), next);
        });
    }

    private static File write(Path path, byte[] bytes) throws IOException {
        Files.write(path, bytes);
        path.toFile().deleteOnExit();
        return path.toFile();
    }

    private static String verify(File source, File copy, int[] next) throws Exception {
        next[0] = (next[0] + 1) % FILES;
        if (!FileUtils.contentEquals(source, copy)) {
            throw new IllegalStateException(copy + " differs");
        }
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(source.toPath()));
        return source.getName() + ' ' + HexFormat.of().formatHex(digest);
    }
}
