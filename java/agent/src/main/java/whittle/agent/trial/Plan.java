package whittle.agent.trial;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.whittle.trial.Places;

/** What a trial changes, read from a text file with one line for each place. */
final class Plan {
    /** Without the process id, which each JVM adds. */
    final File report;
    final List<Place> places;
    /** The length of a turn. 0: the changed classes have only the new code. */
    final long turnNs;

    private Plan(File report, List<Place> places, long turnNs) {
        this.report = report;
        this.places = places;
        this.turnNs = turnNs;
    }

    /** `firstRow` is the row of the place with the number 0. */
    static Plan read(File file, int firstRow) throws IOException {
        return parse(Files.readAllLines(file.toPath(), StandardCharsets.UTF_8), firstRow);
    }

    private static Plan parse(List<String> lines, int firstRow) {
        File report = null;
        long turnNs = 0;
        List<Place> places = new ArrayList<>();
        for (String line : lines) {
            List<String> words = Arrays.asList(line.split("\t"));
            if (words.get(0).equals("report") && words.size() == 2) {
                report = new File(words.get(1));
            } else if (words.get(0).equals("turns") && words.size() == 2) {
                turnNs = TimeUnit.MILLISECONDS.toNanos(Long.parseLong(words.get(1)));
            } else if (words.get(0).equals("place")) {
                places.add(checked(new Place(words.subList(1, words.size()), firstRow)));
            } else if (!line.isEmpty()) {
                throw new IllegalArgumentException("the plan has an unknown line: " + line);
            }
        }
        if (report == null) {
            throw new IllegalArgumentException("the plan names no report");
        }
        return new Plan(report, places, turnNs);
    }

    private static Place checked(Place place) {
        if (place.number < 0 || place.number >= Places.LIMIT) {
            throw new IllegalArgumentException("numbers of places are 0 to " + (Places.LIMIT - 1) + ", but the plan has " + place.number);
        }
        return place;
    }

    /** True if changed methods have their old code and their new code. */
    boolean hasTurns() {
        return turnNs > 0;
    }

    /** Whether a remedy of the plan reads private fields of the JDK. */
    boolean readsFields() {
        return places.stream().anyMatch(place -> Remedies.readsFields(place.remedy));
    }

    /** The places of a class. */
    List<Place> of(String className) {
        List<Place> found = new ArrayList<>();
        for (Place place : places) {
            if (place.className.equals(className)) {
                found.add(place);
            }
        }
        return found;
    }
}
