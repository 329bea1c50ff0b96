package whittle.agent.trial;

import java.util.Arrays;
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
import org.objectweb.asm.tree.analysis.Interpreter;
import org.objectweb.asm.tree.analysis.SourceInterpreter;
import org.objectweb.asm.tree.analysis.SourceValue;
import org.objectweb.asm.tree.analysis.Value;

/**
 * Where a value goes inside its method: which instructions use it, and as which operand. The value is the result of one instruction.
 * Moving it to another variable or another place of the stack is no use.
 */
final class Flow {
    private static final Results RESULTS = new Results();

    private final AbstractInsnNode origin;
    private final MethodNode method;
    /** A call on the value with a result of this type returns the value itself. */
    private final String chainType;
    private final Map<AbstractInsnNode, Set<Integer>> uses = new LinkedHashMap<>();
    private MethodInsnNode constructor;
    private boolean isMixed;
    private final Frame<Known>[] frames;

    private Flow(AbstractInsnNode origin, String className, MethodNode method, String chainType) throws AnalyzerException {
        this.origin = origin;
        this.method = method;
        this.chainType = chainType;
        frames = new Analyzer<Known>(new Uses()).analyze(className, method);
    }

    static Flow of(Spot spot) throws AnalyzerException {
        return of(spot, spot.instruction);
    }

    /** The result of another instruction of the method. */
    static Flow of(Spot spot, AbstractInsnNode origin) throws AnalyzerException {
        return new Flow(origin, spot.className, spot.method, null);
    }

    /** For the result of another instruction of the same method. */
    static Flow ofResult(Spot spot, AbstractInsnNode origin) throws AnalyzerException {
        return new Flow(origin, spot.className, spot.method, null);
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
        Frame<Known> frame = frame(constructor);
        int top = frame.getStackSize() - Type.getArgumentTypes(constructor.desc).length;
        int found = 0;
        while (top - found > 0 && isOnly(frame.getStack(top - found - 1))) {
            found++;
        }
        return found;
    }

    /** When the instruction runs again, the method can still use an earlier value. */
    boolean isAliveAtOrigin() {
        Frame<Known> frame = frame(origin);
        for (int position = 0; position < frame.getStackSize(); position++) {
            if (has(frame.getStack(position))) {
                return true;
            }
        }
        for (int slot = 0; slot < frame.getLocals(); slot++) {
            if (has(frame.getLocal(slot)) && new Liveness(method).isRead(slot, origin.getNext())) {
                return true;
            }
        }
        return false;
    }

    /** Changes the type of the value in all stack map frames. The method has not changed since it was analysed. */
    void retype(Set<String> from, String to) {
        Map<FrameNode, Frame<Known>> states = new LinkedHashMap<>();
        for (AbstractInsnNode node : method.instructions) {
            if (node instanceof FrameNode && frame(node) != null) {
                states.put((FrameNode) node, frame(node));
            }
        }
        for (Map.Entry<FrameNode, Frame<Known>> state : states.entrySet()) {
            retype(state.getKey(), state.getValue(), from, to);
        }
    }

    private void retype(FrameNode node, Frame<Known> state, Set<String> from, String to) {
        Object[] locals = node.local.toArray();
        int slot = 0;
        for (int index = 0; index < locals.length; index++) {
            if (from.contains(locals[index]) && has(state.getLocal(slot))) {
                locals[index] = to;
            }
            slot += locals[index] == Opcodes.LONG || locals[index] == Opcodes.DOUBLE ? 2 : 1;
        }
        Object[] stack = node.stack.toArray();
        for (int position = 0; position < stack.length; position++) {
            if (from.contains(stack[position]) && has(state.getStack(position))) {
                stack[position] = to;
            }
        }
        node.local = Arrays.asList(locals);
        node.stack = Arrays.asList(stack);
    }

    /** A variable or an operand is the value or another one, depending on the way. */
    boolean isMixedAt(FrameNode node) {
        Frame<Known> frame = frame(node);
        for (int slot = 0; frame != null && slot < frame.getLocals(); slot++) {
            if (has(frame.getLocal(slot)) && !isOnly(frame.getLocal(slot))) {
                return true;
            }
        }
        for (int position = 0; frame != null && position < frame.getStackSize(); position++) {
            if (has(frame.getStack(position)) && !isOnly(frame.getStack(position))) {
                return true;
            }
        }
        return false;
    }

    private Frame<Known> frame(AbstractInsnNode node) {
        return frames[method.instructions.indexOf(node)];
    }

    private boolean has(Known value) {
        return value.canBeOrigin;
    }

    private boolean isOnly(Known value) {
        return value == Known.ORIGIN;
    }

    /** What is known about a variable or an operand: it is the value, something else, or either of them, depending on the way. */
    private enum Known implements Value {
        ORIGIN(1, true, false), OTHER(1, false, true), OTHER_LONG(2, false, true), MIXED(1, true, true);

        final int size;
        final boolean canBeOrigin;
        final boolean canBeOther;

        Known(int size, boolean canBeOrigin, boolean canBeOther) {
            this.size = size;
            this.canBeOrigin = canBeOrigin;
            this.canBeOther = canBeOther;
        }

        static Known other(int size) {
            return size == 2 ? OTHER_LONG : OTHER;
        }

        @Override
        public int getSize() {
            return size;
        }
    }

    /** Sees each instruction, perhaps several times, until nothing new is known about its operands. */
    private final class Uses extends Interpreter<Known> {
        Uses() {
            super(Opcodes.ASM9);
        }

        private void note(AbstractInsnNode node, int operand, Known value) {
            if (!value.canBeOrigin) {
                return;
            }
            isMixed |= value.canBeOther;
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
        public Known newValue(Type type) {
            if (type == null) {
                return Known.OTHER;
            }
            return type == Type.VOID_TYPE ? null : Known.other(type.getSize());
        }

        @Override
        public Known newOperation(AbstractInsnNode node) {
            return node == origin ? Known.ORIGIN : RESULTS.sizeOf(RESULTS.newOperation(node));
        }

        @Override
        public Known copyOperation(AbstractInsnNode node, Known value) {
            return value;
        }

        @Override
        public Known unaryOperation(AbstractInsnNode node, Known value) {
            note(node, 0, value);
            return node == origin ? Known.ORIGIN : RESULTS.sizeOf(RESULTS.unaryOperation(node, null));
        }

        @Override
        public Known binaryOperation(AbstractInsnNode node, Known first, Known second) {
            note(node, 0, first);
            note(node, 1, second);
            return RESULTS.sizeOf(RESULTS.binaryOperation(node, null, null));
        }

        @Override
        public Known ternaryOperation(AbstractInsnNode node, Known first, Known second, Known third) {
            note(node, 2, third);
            return null;
        }

        @Override
        public Known naryOperation(AbstractInsnNode node, List<? extends Known> values) {
            for (int operand = 0; operand < values.size(); operand++) {
                note(node, operand, values.get(operand));
            }
            if (node == origin) {
                return Known.ORIGIN;
            }
            return isChain(node, values) ? values.get(0) : RESULTS.sizeOf(RESULTS.naryOperation(node, null));
        }

        private boolean isChain(AbstractInsnNode node, List<? extends Known> values) {
            return chainType != null && node.getOpcode() == Opcodes.INVOKEVIRTUAL && !values.isEmpty() && values.get(0).canBeOrigin
                && ((MethodInsnNode) node).desc.endsWith(")" + chainType);
        }

        @Override
        public void returnOperation(AbstractInsnNode node, Known value, Known expected) {
            // The use was noted as that of an instruction with one operand.
        }

        @Override
        public Known merge(Known first, Known second) {
            if (first == second) {
                return first;
            }
            return first.canBeOrigin || second.canBeOrigin ? Known.MIXED : Known.OTHER;
        }
    }

    /** Knows the sizes of results. It is asked without operands. */
    private static final class Results extends SourceInterpreter {
        Results() {
            super(Opcodes.ASM9);
        }

        Known sizeOf(SourceValue result) {
            return Known.other(result.getSize());
        }
    }
}
