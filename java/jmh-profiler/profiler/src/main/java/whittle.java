import dev.whittle.jmh.WhittleProfiler;
import org.openjdk.jmh.profile.ProfilerException;

/**
 * The word in {@code -prof whittle}. JMH has short names for its own profilers only and takes any other word for the
 * name of a class, so this class has the name of the word, lower case and without a package.
 */
public final class whittle extends WhittleProfiler {
    /** For {@code -lprof}, which looks at the class alone. */
    public whittle() {}

    /** For a run. */
    public whittle(String options) throws ProfilerException {
        super(options);
    }
}
