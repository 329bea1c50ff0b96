package whittle.agent.trial;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.analysis.Analyzer;
import org.objectweb.asm.tree.analysis.AnalyzerException;
import org.objectweb.asm.tree.analysis.Frame;
import org.objectweb.asm.tree.analysis.SourceInterpreter;
import org.objectweb.asm.tree.analysis.SourceValue;

/**
 * Where a value goes inside its method: which instructions use it, and as which operand. The value is the result of one instruction.
 * Moving it to another variable or another place of the stack is no use.
 */
final class Flow {
    private final AbstractInsnNode origin;
    private final MethodNode method;
    /** A call on the value with a result of this type returns the value itself. */
    private final String chainType;
    private final Map<AbstractInsnNode, Set<Integer>> uses = new LinkedHashMap<>();
    private MethodInsnNode constructor;
    private boolean isMixed;
    private final Frame<SourceValue>[] frames;

    private Flow(AbstractInsnNode origin, String className, MethodNode method, String chainType) throws AnalyzerException {
        this.origin = origin;
        this.method = method;
        this.chainType = chainType;
        frames = new Analyzer<SourceValue>(new Uses()).analyze(className, method);
    }

    static Flow of(Spot spot) throws AnalyzerException {
        return new Flow(spot.instruction, spot.className, spot.method, null);
    }

    /** For a builder, whose methods return the builder. */
    static Flow ofBuilder(Spot spot, String type) throws AnalyzerException {
        return new Flow(spot.instruction, spot.className, spot.method, "L" + type + ";");
    }

    /** The instructions that use the value, and the numbers of their operands. The constructor of a new object is not among them. */
    Map<AbstractInsnNode, Set<Integer>> uses() {
        return uses;
    }

    /** An instruction that uses the value also gets values from elsewhere. */
    boolean isMixed() {
        return isMixed;
    }

    /** The call of the constructor, if the value is a new object of the usual form: new, dup, arguments, constructor. */
    MethodInsnNode usualConstructor() throws Refused {
        if (constructor == null || copiesOnStack() != 2) {
            throw new Refused("the code that creates the object has an unusual form");
        }
        return constructor;
    }

    /** How often the new object is on the stack, directly below the arguments of its constructor. */
    private int copiesOnStack() {
        Frame<SourceValue> frame = frame(constructor);
        int top = frame.getStackSize() - Type.getArgumentTypes(constructor.desc).length;
        int found = 0;
        while (top - found > 0 && isOnly(frame.getStack(top - found - 1))) {
            found++;
        }
        return found;
    }

    boolean isAt(FrameNode node, int slot) {
        Frame<SourceValue> frame = frame(node);
        return frame != null && slot < frame.getLocals() && has(frame.getLocal(slot));
    }

    boolean isOnStackAt(FrameNode node, int position) {
        Frame<SourceValue> frame = frame(node);
        return frame != null && position < frame.getStackSize() && has(frame.getStack(position));
    }

    private Frame<SourceValue> frame(AbstractInsnNode node) {
        return frames[method.instructions.indexOf(node)];
    }

    private boolean has(SourceValue value) {
        return value != null && value.insns.contains(origin);
    }

    private boolean isOnly(SourceValue value) {
        return has(value) && value.insns.size() == 1;
    }

    /** Sees each instruction, perhaps several times, with more and more sources of its operands. */
    private final class Uses extends SourceInterpreter {
        Uses() {
            super(Opcodes.ASM9);
        }

        private void note(AbstractInsnNode node, int operand, SourceValue value) {
            if (!has(value)) {
                return;
            }
            isMixed |= !isOnly(value);
            boolean isConstructor = node.getOpcode() == Opcodes.INVOKESPECIAL && operand == 0 && origin.getOpcode() == Opcodes.NEW
                && ((MethodInsnNode) node).name.equals("<init>");
            if (isConstructor) {
                constructor = (MethodInsnNode) node;
                return;
            }
            Set<Integer> operands = uses.get(node);
            if (operands == null) {
                operands = new TreeSet<>();
                uses.put(node, operands);
            }
            operands.add(operand);
        }

        @Override
        public SourceValue copyOperation(AbstractInsnNode node, SourceValue value) {
            return value;
        }

        @Override
        public SourceValue unaryOperation(AbstractInsnNode node, SourceValue value) {
            note(node, 0, value);
            return super.unaryOperation(node, value);
        }

        @Override
        public SourceValue binaryOperation(AbstractInsnNode node, SourceValue first, SourceValue second) {
            note(node, 0, first);
            note(node, 1, second);
            return super.binaryOperation(node, first, second);
        }

        @Override
        public SourceValue ternaryOperation(AbstractInsnNode node, SourceValue first, SourceValue second, SourceValue third) {
            note(node, 2, third);
            return super.ternaryOperation(node, first, second, third);
        }

        @Override
        public SourceValue naryOperation(AbstractInsnNode node, List<? extends SourceValue> values) {
            for (int operand = 0; operand < values.size(); operand++) {
                note(node, operand, values.get(operand));
            }
            return isChain(node, values) ? values.get(0) : super.naryOperation(node, values);
        }

        private boolean isChain(AbstractInsnNode node, List<? extends SourceValue> values) {
            return chainType != null && node.getOpcode() == Opcodes.INVOKEVIRTUAL && !values.isEmpty() && has(values.get(0))
                && ((MethodInsnNode) node).desc.endsWith(")" + chainType);
        }
    }
}
