package whittle.agent.trial;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.whittle.trial.Calls;
import java.whittle.trial.Places;
import java.whittle.trial.Sizes;
import java.whittle.trial.SocketOutput;
import java.whittle.trial.Stacks;

/** What the trial changed in this JVM, and how often the places ran, as a text file for whittle. */
public final class TrialReport {
    private final File file;
    private final List<Place> places;
    private final Set<String> lines = new LinkedHashSet<>();
    private String written = "";
    private boolean isWriting;

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
        if (lines.addAll(added)) {
            write();
        }
    }

    /** The changes of a class did not come into effect. */
    synchronized void undo(ClassChange.Outcome outcome, String reason) {
        lines.removeAll(outcome.lines);
        for (Place place : outcome.changed) {
            lines.add(refusal(place, reason));
        }
    }

    static String refusal(Place place, String reason) {
        return "refused\t" + place.planned + "\t" + place.className + "\t" + reason.replaceAll("\\s+", " ");
    }

    synchronized void fail(Throwable failure) {
        lines.add("failed\t" + String.valueOf(failure).replaceAll("\\s+", " "));
    }

    /** Writes the report if it is not the last one that was written. */
    synchronized void write() {
        String text = text();
        // A planned class of the JDK can run while the report is written.
        if (isWriting || text.equals(written)) {
            return;
        }
        isWriting = true;
        try {
            replace(text);
            written = text;
        } catch (IOException | RuntimeException noSpace) {
            // Whittle reports that the report is missing.
        } finally {
            isWriting = false;
        }
    }

    /** Not with a channel, because the thread of the program can be interrupted. */
    private void replace(String text) throws IOException {
        File whole = new File(file.getPath() + ".new");
        try (FileOutputStream stream = new FileOutputStream(whole)) {
            stream.write(text.getBytes(StandardCharsets.UTF_8));
        }
        Files.move(whole.toPath(), file.toPath(), StandardCopyOption.ATOMIC_MOVE);
    }

    private String text() {
        StringBuilder text = new StringBuilder("ready\n");
        for (String line : lines) {
            text.append(line).append('\n');
        }
        for (Place place : places) {
            addCounts(text, place);
            addRefusal(text, place);
        }
        return text.toString();
    }

    /** A place that the changed code reached, but where the remedy did not fit. */
    private static void addRefusal(StringBuilder text, Place place) {
        String reason = Places.refused(place.number);
        if (reason == null) {
            return;
        }
        boolean isTried = Places.counted(place.number) > 0;
        String line = isTried ? "note\t" + place.planned + "\tsome executions are as before: " + reason : refusal(place, reason);
        text.append(line).append('\n');
    }

    private static void addCounts(StringBuilder text, Place place) {
        long count = Places.counted(place.number);
        if (count > 0) {
            text.append("runs\t").append(place.planned).append('\t').append(count).append('\n');
        }
        int capacity = Sizes.largest(place.number);
        if (capacity > 0) {
            text.append("capacity\t").append(place.planned).append('\t').append(capacity).append('\n');
        }
        String broken = Places.broken(place.number);
        if (broken != null) {
            text.append(broken(place.planned, broken)).append('\n');
        }
        long reads = Stacks.reads(place.number);
        if (reads > 0) {
            text.append(broken(place.planned, "the stack of such an exception was read " + (reads == 1 ? "once" : reads + " times"))).append('\n');
        }
    }

    /** Makes the calls that a place has left out and that the program perhaps relies on at its end. */
    void flushWaiting() {
        for (Place place : places) {
            Calls.flushWaiting(place.number);
        }
        SocketOutput.sendWaiting();
    }

    /** The condition of the remedy does not hold. */
    static String broken(int place, String text) {
        return "broken\t" + place + "\t" + text;
    }

    /** Streams and writers that would lose something if the JVM ended now. */
    boolean isHolding() {
        for (Place place : places) {
            if (Places.holding(place.number) > 0) {
                return true;
            }
        }
        return false;
    }

    /** The last report. A stream that is open at the end loses the bytes in its buffer. */
    synchronized void finish() {
        for (Place place : places) {
            int holding = Places.holding(place.number);
            if (holding > 0) {
                lines.add(broken(place.planned, lost(place, holding)));
            }
        }
        write();
    }

    private static String lost(Place place, int count) {
        boolean isText = place.remedy.equals("buffer-writer");
        String what = isText ? "writer" : "stream";
        return count + " " + what + (count == 1 ? " was" : "s were") + " not closed, and the " + (isText ? "characters" : "bytes")
            + " in " + (count == 1 ? "its buffer" : "their buffers") + " are lost";
    }
}
