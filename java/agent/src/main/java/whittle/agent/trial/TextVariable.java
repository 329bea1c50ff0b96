package whittle.agent.trial;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.VarInsnNode;
import org.objectweb.asm.tree.analysis.Analyzer;
import org.objectweb.asm.tree.analysis.AnalyzerException;
import org.objectweb.asm.tree.analysis.Frame;
import org.objectweb.asm.tree.analysis.SourceInterpreter;
import org.objectweb.asm.tree.analysis.SourceValue;

/**
 * A local variable with a String: all instructions that store it, and all instructions that load what these have stored. A text that
 * `text += part` has stored is the same variable as the text before.
 */
final class TextVariable {
    /** The variable's new type. */
    static final String GROWING = Spot.OURS + "GrowingText";
    private static final String OLD = "java/lang/String";
    /** Stores the parameters of the method. */
    private static final AbstractInsnNode ENTRY = new InsnNode(Opcodes.NOP);

    private final Spot spot;
    private final int slot;
    private final Frame<SourceValue>[] frames;
    private final Set<AbstractInsnNode> stores = new LinkedHashSet<>();
    private final Set<AbstractInsnNode> loads = new LinkedHashSet<>();
    /** The concatenations that append, by the instruction that loads the variable for them. */
    private final Map<AbstractInsnNode, InvokeDynamicInsnNode> appended = new LinkedHashMap<>();

    private TextVariable(Spot spot, int slot) throws AnalyzerException {
        this.spot = spot;
        this.slot = slot;
        frames = new Analyzer<SourceValue>(new Interpreter()).analyze(spot.className, spot.method);
    }

    /** The variable that this instruction stores. */
    static TextVariable of(Spot spot, AbstractInsnNode store) throws Refused, AnalyzerException {
        TextVariable variable = new TextVariable(spot, ((VarInsnNode) store).var);
        variable.findAppended();
        variable.find(store);
        variable.appended.keySet().retainAll(variable.loads);
        if (variable.stores.contains(ENTRY)) {
            throw new Refused("the text is also a parameter of the method");
        }
        return variable;
    }

    /** All concatenations of the method that append to a variable at this slot. */
    private void findAppended() {
        for (AbstractInsnNode node : spot.method.instructions) {
            if (Concatenation.is(node) && frame(node) != null && isAtSlot(Concatenation.following(node), Opcodes.ASTORE)) {
                InvokeDynamicInsnNode concatenation = (InvokeDynamicInsnNode) node;
                int first = frame(node).getStackSize() - Type.getArgumentTypes(concatenation.desc).length;
                Set<AbstractInsnNode> sources = frame(node).getStack(first).insns;
                AbstractInsnNode load = sources.size() == 1 ? sources.iterator().next() : ENTRY;
                if (isAtSlot(load, Opcodes.ALOAD) && isAppending(concatenation)) {
                    appended.put(load, concatenation);
                }
            }
        }
    }

    private boolean isAtSlot(AbstractInsnNode node, int opcode) {
        return node.getOpcode() == opcode && ((VarInsnNode) node).var == slot;
    }

    /** The recipe begins with the text, and has something else, too. */
    private static boolean isAppending(InvokeDynamicInsnNode concatenation) {
        String recipe = (String) concatenation.bsmArgs[0];
        boolean hasRest = Type.getArgumentTypes(concatenation.desc).length > 1 || recipe.indexOf(Concatenation.CONSTANT) < 0;
        return concatenation.desc.startsWith("(Ljava/lang/String;") && recipe.charAt(0) == Concatenation.OPERAND && hasRest;
    }

    private void find(AbstractInsnNode first) {
        Deque<AbstractInsnNode> open = new ArrayDeque<>(Collections.singleton(first));
        while (!open.isEmpty()) {
            AbstractInsnNode store = open.pop();
            if (!stores.add(store)) {
                continue;
            }
            for (AbstractInsnNode node : spot.method.instructions) {
                if (isAtSlot(node, Opcodes.ALOAD) && frame(node) != null && isOf(node, store)) {
                    loads.add(node);
                    open.addAll(frame(node).getLocal(slot).insns);
                    if (appended.containsKey(node)) {
                        open.add(Concatenation.following(appended.get(node)));
                    }
                }
            }
        }
    }

    /** The instruction loads what the other one has stored, or appends to it what the other one stores. */
    private boolean isOf(AbstractInsnNode load, AbstractInsnNode store) {
        boolean isStoring = appended.containsKey(load) && Concatenation.following(appended.get(load)) == store;
        return isStoring || frame(load).getLocal(slot).insns.contains(store);
    }

    Set<AbstractInsnNode> stores() {
        return stores;
    }

    Set<AbstractInsnNode> loads() {
        return loads;
    }

    /** The concatenations that append, by the instruction that loads the variable for them. */
    Map<AbstractInsnNode, InvokeDynamicInsnNode> appended() {
        return appended;
    }

    /** Refuses if a loaded value is copied on the stack, or is already there while another instruction appends to the variable. */
    void requireSoleUser() throws Refused {
        for (AbstractInsnNode node : spot.method.instructions) {
            Frame<SourceValue> frame = frame(node);
            for (int position = 0; frame != null && position < frame.getStackSize(); position++) {
                boolean isCopied = position >= frame.getStackSize() - copiedCount(node.getOpcode());
                if ((isCopied || appended.containsValue(node)) && isOther(frame.getStack(position), node)) {
                    throw new Refused("the method also uses the text while it appends to it");
                }
            }
        }
    }

    /** How many values on top of the stack the instruction copies. */
    private static int copiedCount(int opcode) {
        if (opcode >= Opcodes.DUP && opcode <= Opcodes.DUP_X2) {
            return 1;
        }
        return opcode >= Opcodes.DUP2 && opcode <= Opcodes.DUP2_X2 ? 2 : 0;
    }

    /** The value is the variable, loaded for another instruction than this one. */
    private boolean isOther(SourceValue value, AbstractInsnNode node) {
        for (AbstractInsnNode source : value.insns) {
            if (appended.containsKey(source) && appended.get(source) != node) {
                return true;
            }
        }
        return false;
    }

    /** Changes the type of the variable and of the loaded values in all stack map frames. */
    void retype() throws Refused {
        for (boolean isTrial : new boolean[] {true, false}) {
            for (AbstractInsnNode node : spot.method.instructions) {
                if (node instanceof FrameNode && frame(node) != null) {
                    retype((FrameNode) node, isTrial);
                }
            }
        }
    }

    private void retype(FrameNode node, boolean isTrial) throws Refused {
        Frame<SourceValue> frame = frame(node);
        Object[] locals = node.local.toArray();
        int at = 0;
        for (int index = 0; index < locals.length; index++) {
            if (at == slot) {
                locals[index] = retyped(locals[index], frame.getLocal(slot), stores);
            }
            at += locals[index] == Opcodes.LONG || locals[index] == Opcodes.DOUBLE ? 2 : 1;
        }
        Object[] stack = node.stack.toArray();
        for (int position = 0; position < stack.length; position++) {
            stack[position] = retyped(stack[position], frame.getStack(position), appended.keySet());
        }
        if (!isTrial) {
            node.local = Arrays.asList(locals);
            node.stack = Arrays.asList(stack);
        }
    }

    /** The new type of a value in a frame. The value is not used after the frame if its type is TOP. */
    private static Object retyped(Object type, SourceValue value, Set<AbstractInsnNode> changed) throws Refused {
        if (type == Opcodes.TOP || Collections.disjoint(value.insns, changed)) {
            return type;
        }
        if (!changed.containsAll(value.insns) || !OLD.equals(type) && type != Opcodes.NULL) {
            throw new Refused("the variable of the text can also have other values");
        }
        return GROWING;
    }

    private Frame<SourceValue> frame(AbstractInsnNode node) {
        int index = spot.method.instructions.indexOf(node);
        return index < frames.length ? frames[index] : null;
    }

    private static final class Interpreter extends SourceInterpreter {
        Interpreter() {
            super(Opcodes.ASM9);
        }

        @Override
        public SourceValue newParameterValue(boolean isInstance, int local, Type type) {
            return new SourceValue(type.getSize(), ENTRY);
        }
    }
}
