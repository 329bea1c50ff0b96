package whittle.agent.trial;

import java.io.IOException;
import java.lang.instrument.ClassFileTransformer;
import java.nio.file.Files;
import java.security.ProtectionDomain;
import java.util.Collections;
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
    private final HiddenTypes hiddenTypes = new HiddenTypes();
    private boolean isHiding;
    private boolean hasNoStack;
    private boolean isKeepingMappings;
    private boolean isThrowableChanged;

    TrialTransformer(Plan plan, TrialReport report) {
        this.plan = plan;
        this.report = report;
        for (Place place : plan.places) {
            names.add(place.className);
            isHiding |= HiddenTypes.isHidingRemedy(place.remedy) && !plan.hasTurns();
            hasNoStack |= place.remedy.equals(Remedies.NO_STACK);
            isKeepingMappings |= place.remedy.equals(Remedies.KEEP_MAPPING);
        }
    }

    boolean isPlanned(String className) {
        return names.contains(className) || isAskedUnsafe(className);
    }

    /** True if an exception of the plan gets no stack. */
    boolean hasNoStack() {
        return hasNoStack;
    }

    /** The JVM has rejected the changed class Throwable. */
    void throwableRejected() {
        isThrowableChanged = false;
    }

    /** The JVM keeps the old class. */
    void undoLast(String reason) {
        if (last != null) {
            report.undo(last, reason);
        }
    }

    /** The next class that was loaded before follows. */
    void forgetLast() {
        last = null;
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> type, ProtectionDomain domain, byte[] file) {
        if (name == null) {
            return null;
        }
        try {
            if (isHiding && loader != null) {
                report.add(hiddenTypes.load(name, file));
            }
            if (!isPlanned(name) && !isAskedThrowable(name)) {
                return null;
            }
            if (isAskedUnsafe(name)) {
                return Unmapping.changeUnsafe(file);
            }
            return isAskedThrowable(name) ? changeThrowable(file) : changePlanned(name, type != null, file);
        } catch (Throwable failure) {
            report.fail(failure);
            return null;
        }
    }

    private boolean isAskedThrowable(String name) {
        return hasNoStack && NoStack.THROWABLE.equals(name);
    }

    private boolean isAskedUnsafe(String name) {
        return isKeepingMappings && Unmapping.UNSAFE.equals(name);
    }

    private byte[] changePlanned(String name, boolean isLoaded, byte[] file) {
        ClassChange.Outcome outcome = change(plan.of(name), file, isLoaded);
        if (isLoaded) {
            last = outcome;
        }
        report.add(outcome.lines);
        report.add(hiddenTypes.hide(outcome.hidden));
        return outcome.file;
    }

    private byte[] changeThrowable(byte[] file) {
        for (Place place : plan.of(NoStack.THROWABLE)) {
            report.add(Collections.singletonList(TrialReport.refusal(place, "the remedy no-stack changes the same class")));
        }
        byte[] changed = NoStack.changeThrowable(file);
        isThrowableChanged = changed != null;
        return changed;
    }

    private ClassChange.Outcome change(List<Place> places, byte[] file, boolean isLoaded) {
        ClassChange change = new ClassChange(file, plan.hasTurns());
        for (Place place : places) {
            if (place.remedy.equals(Remedies.NO_STACK) && !isThrowableChanged) {
                change.refuse(place, "this JVM does not let the class Throwable change");
                continue;
            }
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
