package whittle.agent;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashSet;
import java.util.Set;
import java.whittle.Loss;

/** The changed places, as a text file for whittle. */
final class Report {
    private final File file;
    private final Set<String> lines = new LinkedHashSet<>();
    private String losses = "";
    private boolean isFinished;
    private boolean isChanged;

    Report(File file) {
        this.file = file;
    }

    synchronized void changed(String what, String className, String method) {
        add(what + "\t" + className + "\t" + method);
    }

    synchronized void failed(String className, Throwable failure) {
        String reason = String.valueOf(failure).replaceAll("[\\t\\n\\r]+", " ");
        add("failed\t" + className + "\t" + reason);
    }

    /** Virtual threads were inside changed methods, and have no ids for the old versions. */
    synchronized void hasCutStacks() {
        add("cut\tvirtual threads");
    }

    private void add(String line) {
        isChanged |= lines.add(line);
    }

    /** All loaded classes are changed. */
    synchronized void finish() {
        isFinished = true;
        isChanged = true;
        writeIfChanged();
    }

    /** Writes the report if it has new lines, or if losses were counted since the last time. */
    synchronized void writeIfChanged() {
        String newLosses = Loss.lines();
        if (!isFinished || !isChanged && newLosses.equals(losses)) {
            return;
        }
        isChanged = false;
        losses = newLosses;
        String text = "ready\n" + losses + String.join("\n", lines) + "\n";
        File whole = new File(file.getPath() + ".new");
        try {
            Files.write(whole.toPath(), text.getBytes(StandardCharsets.UTF_8));
            Files.move(whole.toPath(), file.toPath(), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException noSpace) {
            // Whittle reports that the report is missing.
        }
    }
}
