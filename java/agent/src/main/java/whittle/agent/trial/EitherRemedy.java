package whittle.agent.trial;

import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.analysis.AnalyzerException;

/** One remedy for created objects, and another one for calls. */
final class EitherRemedy implements Remedy {
    private final Remedy ofCreations;
    private final Remedy ofCalls;

    EitherRemedy(Remedy ofCreations, Remedy ofCalls) {
        this.ofCreations = ofCreations;
        this.ofCalls = ofCalls;
    }

    @Override
    public void apply(Spot spot) throws Refused, AnalyzerException {
        (spot.instruction.getOpcode() == Opcodes.NEW ? ofCreations : ofCalls).apply(spot);
    }
}
