package whittle.agent.trial;

import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TypeInsnNode;

/**
 * Lets a method use an object as a wider type: an OutputStream instead of a FileOutputStream. Refuses if the method needs the narrow
 * type. Otherwise it changes the owners of calls and the types in frames, so that the JVM accepts an object of another class.
 */
final class Wider {
    private final Set<String> narrow;
    private final String wide;
    private final boolean isInterface;
    /** The wide type and its parents. Object is not among them, because an object can be cast later. */
    private final Set<String> accepted;
    /** Name and descriptor of the methods that the wide type has. */
    private final Set<String> methods;

    Wider(List<String> narrow, String wide, boolean isInterface, List<String> parents, List<String> methods) {
        this.narrow = new HashSet<>(narrow);
        this.wide = wide;
        this.isInterface = isInterface;
        this.accepted = new HashSet<>(parents);
        this.accepted.add(wide);
        this.methods = new HashSet<>(methods);
    }

    /** Refuses if one use needs the narrow type. */
    void check(Flow flow, MethodNode method) throws Refused {
        for (Map.Entry<AbstractInsnNode, Set<Integer>> use : flow.uses().entrySet()) {
            for (int operand : use.getValue()) {
                checkUse(method, use.getKey(), operand);
            }
        }
    }

    /** Other code of the program can get the object. The JDK does not ask for its class. */
    static boolean isEscaping(Flow flow, MethodNode method) {
        for (Map.Entry<AbstractInsnNode, Set<Integer>> use : flow.uses().entrySet()) {
            if (isEscaping(use.getKey(), use.getValue(), method)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isEscaping(AbstractInsnNode node, Set<Integer> operands, MethodNode method) {
        if (!(node instanceof MethodInsnNode)) {
            return node.getOpcode() != Opcodes.IFNULL && node.getOpcode() != Opcodes.IFNONNULL;
        }
        boolean isReceiver = node.getOpcode() != Opcodes.INVOKESTATIC && operands.equals(Collections.singleton(0));
        // The constructor of a parent keeps the object for the program's own class.
        boolean isOfJdk = ((MethodInsnNode) node).owner.startsWith("java/") && !method.name.equals("<init>");
        return !isReceiver && !isOfJdk;
    }

    private void checkUse(MethodNode method, AbstractInsnNode node, int operand) throws Refused {
        switch (node.getOpcode()) {
            case Opcodes.IFNULL:
            case Opcodes.IFNONNULL:
                return;
            case Opcodes.ARETURN:
                requireAccepted(Type.getReturnType(method.desc), "is returned as");
                return;
            case Opcodes.PUTFIELD:
            case Opcodes.PUTSTATIC:
                requireAccepted(Type.getType(((FieldInsnNode) node).desc), "is stored in a field of the type");
                return;
            case Opcodes.CHECKCAST:
                requireAccepted(Type.getObjectType(((TypeInsnNode) node).desc), "is cast to");
                return;
            case Opcodes.INVOKEDYNAMIC:
                requireAccepted(Type.getArgumentTypes(((InvokeDynamicInsnNode) node).desc)[operand], "is used as");
                return;
            case Opcodes.INVOKEVIRTUAL:
            case Opcodes.INVOKEINTERFACE:
            case Opcodes.INVOKESPECIAL:
            case Opcodes.INVOKESTATIC:
                checkCall((MethodInsnNode) node, operand);
                return;
            default:
                throw new Refused("the object is compared, locked, inspected or stored in an array");
        }
    }

    private void checkCall(MethodInsnNode call, int operand) throws Refused {
        boolean hasReceiver = call.getOpcode() != Opcodes.INVOKESTATIC;
        if (hasReceiver && operand == 0) {
            checkReceiver(call);
            return;
        }
        if (call.owner.startsWith("java/io/Buffered")) {
            throw new Refused("a buffer is already there");
        }
        requireAccepted(Type.getArgumentTypes(call.desc)[operand - (hasReceiver ? 1 : 0)], "is an argument of the type");
    }

    private void checkReceiver(MethodInsnNode call) throws Refused {
        boolean isKnown = call.getOpcode() != Opcodes.INVOKESPECIAL && (isNarrow(call) || accepted.contains(call.owner));
        if (!isKnown || !methods.contains(call.name + call.desc)) {
            throw new Refused("the method also calls " + simple(call.owner) + "." + call.name + " on the object");
        }
    }

    private void requireAccepted(Type type, String use) throws Refused {
        if (type.getSort() != Type.OBJECT || !accepted.contains(type.getInternalName())) {
            throw new Refused("the object " + use + " " + simple(type.getClassName().replace('.', '/')));
        }
    }

    private static String simple(String name) {
        return name.substring(name.lastIndexOf('/') + 1);
    }

    private boolean isNarrow(MethodInsnNode call) {
        return narrow.contains(call.owner);
    }

    /** Changes calls and frames. The flow was analysed before any change of the method. */
    void widen(Flow flow) {
        for (Map.Entry<AbstractInsnNode, Set<Integer>> use : flow.uses().entrySet()) {
            if (use.getKey() instanceof MethodInsnNode && use.getValue().contains(0)) {
                widenCall((MethodInsnNode) use.getKey());
            }
        }
        flow.retype(narrow, wide);
    }

    private void widenCall(MethodInsnNode call) {
        if (call.getOpcode() == Opcodes.INVOKEVIRTUAL && isNarrow(call)) {
            call.owner = wide;
            call.itf = isInterface;
            call.setOpcode(isInterface ? Opcodes.INVOKEINTERFACE : Opcodes.INVOKEVIRTUAL);
        }
    }
}
