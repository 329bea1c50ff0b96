package whittle.agent.trial;

import java.util.Set;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.analysis.Analyzer;
import org.objectweb.asm.tree.analysis.AnalyzerException;
import org.objectweb.asm.tree.analysis.Frame;
import org.objectweb.asm.tree.analysis.SourceInterpreter;
import org.objectweb.asm.tree.analysis.SourceValue;

/** Which instructions make the operands of an instruction. Moving a value to a variable or to another place of the stack makes nothing. */
final class Makers {
    /** Makes the parameters of the method. */
    private static final AbstractInsnNode ENTRY = new InsnNode(Opcodes.NOP);

    private Makers() {
    }

    /** The instruction that makes the operand, 0 being the one on top of the stack. Null: a parameter, or several instructions. */
    static AbstractInsnNode only(Spot spot, AbstractInsnNode user, int operand) throws AnalyzerException {
        Frame<SourceValue>[] frames = new Analyzer<SourceValue>(new Interpreter()).analyze(spot.className, spot.method);
        Frame<SourceValue> frame = frames[spot.method.instructions.indexOf(user)];
        if (frame == null) {
            return null;
        }
        Set<AbstractInsnNode> makers = frame.getStack(frame.getStackSize() - 1 - operand).insns;
        AbstractInsnNode maker = makers.size() == 1 ? makers.iterator().next() : ENTRY;
        return maker == ENTRY ? null : maker;
    }

    private static final class Interpreter extends SourceInterpreter {
        Interpreter() {
            super(Opcodes.ASM9);
        }

        @Override
        public SourceValue newParameterValue(boolean isInstance, int local, Type type) {
            return new SourceValue(type.getSize(), ENTRY);
        }

        @Override
        public SourceValue copyOperation(AbstractInsnNode node, SourceValue value) {
            return value;
        }
    }
}
