package whittle.agent.trial;

import java.whittle.trial.OwnFormats;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.analysis.AnalyzerException;

/** Makes a look-up once. A thread uses its format again without a copy, if the format never leaves the method. */
final class LookingUp implements Remedy {
    private final Remedy remedy;

    LookingUp(Remedy remedy) {
        this.remedy = remedy;
    }

    @Override
    public void apply(Spot spot) throws Refused, AnalyzerException {
        boolean isStaying = isStaying(spot);
        remedy.apply(spot);
        if (isStaying) {
            OwnFormats.stay(spot.place.number);
        }
    }

    private static boolean isStaying(Spot spot) throws Refused, AnalyzerException {
        boolean isNew = spot.instruction.getOpcode() == Opcodes.NEW;
        // The static method of MessageFormat returns a text, so nobody else has its format.
        if (!isNew && spot.call().owner.equals("java/text/MessageFormat")) {
            return true;
        }
        Type made = isNew ? Type.getObjectType(spot.created()) : Type.getReturnType(spot.call().desc);
        return made.getInternalName().matches("java/text/.*Format") && isStaying(Flow.of(spot));
    }

    private static boolean isStaying(Flow flow) {
        try {
            Staying.FORMAT.check(flow);
            return true;
        } catch (Refused leaves) {
            return false;
        }
    }
}
