package whittle.agent.trial;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.whittle.trial.Places;

/** What a trial changes, read from a text file with one line for each place. */
final class Plan {
    /** Without the process id, which each JVM adds. */
    final File report;
    final List<Place> places;

    private Plan(File report, List<Place> places) {
        this.report = report;
        this.places = places;
    }

    static Plan read(File file) throws IOException {
        return parse(Files.readAllLines(file.toPath(), StandardCharsets.UTF_8));
    }

    static Plan parse(List<String> lines) {
        File report = null;
        List<Place> places = new ArrayList<>();
        for (String line : lines) {
            List<String> words = Arrays.asList(line.split("\t"));
            if (words.get(0).equals("report") && words.size() == 2) {
                report = new File(words.get(1));
            } else if (words.get(0).equals("place")) {
                places.add(checked(new Place(words.subList(1, words.size()))));
            } else if (!line.isEmpty()) {
                throw new IllegalArgumentException("the plan has an unknown line: " + line);
            }
        }
        if (report == null) {
            throw new IllegalArgumentException("the plan names no report");
        }
        return new Plan(report, places);
    }

    private static Place checked(Place place) {
        if (place.number < 0 || place.number >= Places.LIMIT) {
            throw new IllegalArgumentException("numbers of places are 0 to " + (Places.LIMIT - 1) + ", but the plan has " + place.number);
        }
        return place;
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
