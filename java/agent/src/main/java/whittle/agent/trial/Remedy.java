package whittle.agent.trial;

import java.util.Collections;
import java.util.List;
import org.objectweb.asm.tree.analysis.AnalyzerException;

/** A change of one instruction that keeps the shape of its method: no new field, method or supertype. */
interface Remedy {
    /** The places that really change. The file contains the class as it was recorded. */
    default List<Place> places(Place place, byte[] file) {
        return Collections.singletonList(place);
    }

    /** True if the changed program reads private fields of the JDK ({@link java.whittle.trial.Fields}). */
    default boolean readsFields() {
        return false;
    }

    /** Decides first and changes then, so that a refused place is unchanged. */
    void apply(Spot spot) throws Refused, AnalyzerException;
}
