package whittle.agent.trial;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.whittle.trial.Calls;
import java.whittle.trial.Places;
import java.whittle.trial.Stacks;

/** What the trial changed in this JVM, and how often the places ran, as a text file for whittle. */
public final class TrialReport {
    private final File file;
    private final List<Place> places;
    private final Set<String> lines = new LinkedHashSet<>();
    private String written = "";

    TrialReport(File file, List<Place> places) {
        this.file = file;
        this.places = places;
    }

    /** Several JVMs can have the same plan, so each one has its own report. */
    static File ofThisJvm(File file) throws IOException {
        return new File(file.getPath() + "." + Files.readSymbolicLink(Paths.get("/proc/self")).getFileName());
    }

    /** One class can have several loaders, which give several lines. */
    synchronized void add(List<String> added) {
        lines.addAll(added);
    }

    /** The changes of a class did not come into effect. */
    synchronized void undo(ClassChange.Outcome outcome, String reason) {
        lines.removeAll(outcome.lines);
        for (Place place : outcome.changed) {
            lines.add(refusal(place, reason));
        }
    }

    static String refusal(Place place, String reason) {
        return "refused\t" + place.number + "\t" + place.className + "\t" + reason.replaceAll("\\s+", " ");
    }

    synchronized void fail(Throwable failure) {
        lines.add("failed\t" + String.valueOf(failure).replaceAll("\\s+", " "));
    }

    /** Writes the report if it is not the last one that was written. */
    synchronized void write() {
        String text = text();
        if (text.equals(written)) {
            return;
        }
        Path whole = Paths.get(file.getPath() + ".new");
        try {
            Files.write(whole, text.getBytes(StandardCharsets.UTF_8));
            Files.move(whole, file.toPath(), StandardCopyOption.ATOMIC_MOVE);
            written = text;
        } catch (IOException noSpace) {
            // Whittle reports that the report is missing.
        }
    }

    private String text() {
        StringBuilder text = new StringBuilder("ready\n");
        for (String line : lines) {
            text.append(line).append('\n');
        }
        for (Place place : places) {
            addCounts(text, place.number);
        }
        return text.toString();
    }

    private static void addCounts(StringBuilder text, int place) {
        long count = Places.counted(place);
        if (count > 0) {
            text.append("runs\t").append(place).append('\t').append(count).append('\n');
        }
        long reads = Stacks.reads(place);
        if (reads > 0) {
            text.append("note\t").append(place).append("\tthe stack of such an exception was read ").append(reads).append(" times\n");
        }
    }

    /** Makes the calls that a place has left out and that the program perhaps relies on at its end. */
    void flushWaiting() {
        for (Place place : places) {
            Calls.flushWaiting(place.number);
        }
    }

    /** The last report. A stream that is open at the end loses the bytes in its buffer. */
    synchronized void finish() {
        for (Place place : places) {
            int open = Places.open(place.number);
            if (open > 0) {
                lines.add("note\t" + place.number + "\t" + open + " streams were not closed; bytes that were not flushed are lost");
            }
        }
        write();
    }
}
