package whittle.agent.trial;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.TypeInsnNode;
import org.objectweb.asm.tree.analysis.AnalyzerException;

/** Creates a StringBuilder instead of a StringBuffer that never leaves its method, so that no other thread can see it. */
final class Unsynchronized implements Remedy {
    private static final String OLD = "java/lang/StringBuffer";
    private static final String INSTEAD = "java/lang/StringBuilder";
    private static final Set<String> METHODS = new HashSet<>(Arrays.asList("append", "appendCodePoint", "insert", "length", "capacity",
        "ensureCapacity", "trimToSize", "charAt", "codePointAt", "setCharAt", "setLength", "delete", "deleteCharAt", "replace",
        "reverse", "indexOf", "lastIndexOf", "substring", "subSequence", "getChars", "toString", "isEmpty"));

    @Override
    public void apply(Spot spot) throws Refused, AnalyzerException {
        if (!spot.created().equals(OLD)) {
            throw new Refused("the object is not a StringBuffer");
        }
        Flow flow = Flow.ofBuilder(spot, OLD);
        MethodInsnNode constructor = flow.usualConstructor();
        check(spot, flow);
        for (AbstractInsnNode node : flow.uses().keySet()) {
            if (node instanceof MethodInsnNode) {
                MethodInsnNode call = (MethodInsnNode) node;
                call.owner = INSTEAD;
                call.desc = call.desc.replace(")L" + OLD + ";", ")L" + INSTEAD + ";");
            }
        }
        flow.retype(Collections.singleton(OLD), INSTEAD);
        ((TypeInsnNode) spot.instruction).desc = INSTEAD;
        constructor.owner = INSTEAD;
        spot.insertAfter(constructor, spot.callOurs("Places.count", "(I)V"));
    }

    private static void check(Spot spot, Flow flow) throws Refused {
        if (flow.isMixed()) {
            throw new Refused("the method uses several StringBuffers in the same instruction");
        }
        for (Map.Entry<AbstractInsnNode, Set<Integer>> use : flow.uses().entrySet()) {
            requireStay(use.getKey(), use.getValue());
        }
        for (AbstractInsnNode node : spot.method.instructions) {
            if (node instanceof FrameNode && flow.isMixedAt((FrameNode) node)) {
                throw new Refused("the method has several StringBuffers in the same variable");
            }
        }
    }

    private static void requireStay(AbstractInsnNode node, Set<Integer> operands) throws Refused {
        int opcode = node.getOpcode();
        if (opcode == Opcodes.IFNULL || opcode == Opcodes.IFNONNULL) {
            return;
        }
        boolean isCall = opcode == Opcodes.INVOKEVIRTUAL && operands.equals(Collections.singleton(0));
        if (!isCall || !((MethodInsnNode) node).owner.equals(OLD) || !METHODS.contains(((MethodInsnNode) node).name)) {
            throw new Refused("the StringBuffer leaves the method, or a method uses it that StringBuilder does not have");
        }
    }
}
