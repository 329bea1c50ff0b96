package whittle.agent.trial;

import java.io.IOException;
import java.lang.instrument.ClassFileTransformer;
import java.nio.file.Files;
import java.security.ProtectionDomain;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Changes the classes of a plan when they are loaded, or those that were loaded before. All other classes stay as they are. */
final class TrialTransformer implements ClassFileTransformer {
    private final Plan plan;
    private final TrialReport report;
    private final Set<String> names = new HashSet<>();
    /** Of a class that was loaded before. Only the thread that starts the trial changes such classes. */
    private ClassChange.Outcome last;

    TrialTransformer(Plan plan, TrialReport report) {
        this.plan = plan;
        this.report = report;
        for (Place place : plan.places) {
            names.add(place.className);
        }
    }

    boolean isPlanned(String className) {
        return names.contains(className);
    }

    /** The JVM keeps the old class. */
    void undoLast(String reason) {
        if (last != null) {
            report.undo(last, reason);
        }
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> type, ProtectionDomain domain, byte[] file) {
        if (name == null || !isPlanned(name)) {
            return null;
        }
        ClassChange.Outcome outcome = change(plan.of(name), file, type != null);
        if (type != null) {
            last = outcome;
        }
        report.add(outcome.lines);
        return outcome.file;
    }

    private static ClassChange.Outcome change(List<Place> places, byte[] file, boolean isLoaded) {
        ClassChange change = new ClassChange(file);
        for (Place place : places) {
            try {
                // The JVM does not keep the file of a class that it has loaded, but writes an equal one.
                change.add(place, Files.readAllBytes(place.classFile.toPath()), isLoaded);
            } catch (IOException unreadable) {
                change.refuse(place, "the class file of the plan cannot be read: " + unreadable);
            }
        }
        return change.apply();
    }
}
