package whittle.agent.trial;

import java.util.Map;
import java.util.Set;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.analysis.AnalyzerException;

/** Takes the box of a number from a cache. More boxes are then the same object, so a method that asks for this is refused. */
final class Boxing implements Remedy {
    private static final Calling CALLS = new Calling()
        .with("java/lang/Integer.valueOf(I)Ljava/lang/Integer;", "Boxes.of")
        .with("java/lang/Long.valueOf(J)Ljava/lang/Long;", "Boxes.of")
        .with("java/lang/Short.valueOf(S)Ljava/lang/Short;", "Boxes.of")
        .with("java/lang/Character.valueOf(C)Ljava/lang/Character;", "Boxes.of");

    @Override
    public void apply(Spot spot) throws Refused, AnalyzerException {
        spot.call();
        for (Map.Entry<AbstractInsnNode, Set<Integer>> use : Flow.of(spot).uses().entrySet()) {
            int opcode = use.getKey().getOpcode();
            if (opcode == Opcodes.IF_ACMPEQ || opcode == Opcodes.IF_ACMPNE || opcode == Opcodes.MONITORENTER) {
                throw new Refused("the method asks which object the box is");
            }
        }
        CALLS.apply(spot);
    }
}
