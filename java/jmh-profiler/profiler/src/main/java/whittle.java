import dev.whittle.jmh.WhittleProfiler;
import org.openjdk.jmh.profile.ProfilerException;

/**
 * The word in {@code -prof whittle}. JMH has short names only for its own profilers and treats any other word as the
 * name of a class. So this class is named like the word, in lower case and without a package.
 */
public final class whittle extends WhittleProfiler {
    /** For {@code -lprof}, which passes no options. */
    public whittle() {}

    /** For a run with these options. */
    public whittle(String options) throws ProfilerException {
        super(options);
    }
}
