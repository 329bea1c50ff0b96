package whittle.agent.trial;

import org.objectweb.asm.tree.analysis.AnalyzerException;

/** A change of one instruction that keeps the shape of its method: no new field, method or supertype. */
interface Remedy {
    /** Decides first and changes then, so that a refused place is unchanged. */
    void apply(Spot spot) throws Refused, AnalyzerException;
}
