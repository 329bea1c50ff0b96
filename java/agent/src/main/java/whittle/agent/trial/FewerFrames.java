package whittle.agent.trial;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.LineNumberNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.TypeInsnNode;
import org.objectweb.asm.tree.analysis.AnalyzerException;

/** Reads only the frames of a stack that the method uses: those with constant indexes. */
final class FewerFrames implements Remedy {
    private static final String STACK = "()[Ljava/lang/StackTraceElement;";
    private static final String RESULT = ")[Ljava/lang/StackTraceElement;";
    private static final Set<String> THROWN = new HashSet<>(Arrays.asList("java/lang/Throwable", "java/lang/Exception",
        "java/lang/RuntimeException", "java/lang/Error"));

    @Override
    public void apply(Spot spot) throws Refused, AnalyzerException {
        if (spot.instruction.getOpcode() == Opcodes.NEW) {
            replaceThrown(spot, readOf(spot));
            return;
        }
        MethodInsnNode read = spot.call();
        boolean isStack = read.name.equals("getStackTrace") && read.desc.equals(STACK);
        if (isStack && read.owner.equals("java/lang/Thread")) {
            replaceOfThread(spot, read);
        } else if (isStack && creationBefore(read) != null) {
            replaceThrown(spot, read);
        } else {
            throw new Refused("the call reads the stack of no new exception, and not that of the current thread");
        }
    }

    /** The stack of a thread begins with the method that was called to read it. */
    private static void replaceOfThread(Spot spot, MethodInsnNode read) throws Refused, AnalyzerException {
        int count = framesCount(spot, read, 1);
        InsnList code = new InsnList();
        code.add(Spot.push(count));
        code.add(spot.callOurs("Frames.ofThread", "(Ljava/lang/Thread;II" + RESULT));
        spot.replace(read, code);
    }

    /** The stack of a new exception begins with the method that creates it. */
    private static void replaceThrown(Spot spot, MethodInsnNode read) throws Refused, AnalyzerException {
        // Another line than that of the creation would be in the first frame.
        int count = framesCount(spot, read, isOneLine(creationBefore(read), read) ? 0 : 1);
        for (int removed = 0; removed < 3; removed++) {
            spot.method.instructions.remove(IntConstant.real(read, false));
        }
        InsnList code = new InsnList();
        code.add(Spot.push(count));
        code.add(spot.callOurs("Frames.here", "(II" + RESULT));
        spot.replace(read, code);
    }

    private static boolean isOneLine(AbstractInsnNode first, AbstractInsnNode last) {
        for (AbstractInsnNode node = first; node != last; node = node.getNext()) {
            if (node instanceof LineNumberNode) {
                return false;
            }
        }
        return true;
    }

    /** The call that reads the stack of the new exception and is its only use. */
    private static MethodInsnNode readOf(Spot spot) throws Refused {
        AbstractInsnNode node = spot.instruction;
        for (int step = 0; step < 3 && node != null; step++) {
            node = IntConstant.real(node, true);
        }
        if (node instanceof MethodInsnNode && ((MethodInsnNode) node).desc.equals(STACK) && creationBefore(node) == spot.instruction) {
            return (MethodInsnNode) node;
        }
        throw new Refused("the exception is not only created to read its stack");
    }

    /** The instruction `new`, if the code is `new Throwable().getStackTrace()`. Otherwise null. */
    private static AbstractInsnNode creationBefore(AbstractInsnNode read) {
        AbstractInsnNode constructor = IntConstant.real(read, false);
        AbstractInsnNode copy = constructor == null ? null : IntConstant.real(constructor, false);
        AbstractInsnNode creation = copy == null ? null : IntConstant.real(copy, false);
        boolean isUsual = creation != null && creation.getOpcode() == Opcodes.NEW && copy.getOpcode() == Opcodes.DUP
            && constructor.getOpcode() == Opcodes.INVOKESPECIAL && ((MethodInsnNode) constructor).desc.equals("()V")
            && THROWN.contains(((TypeInsnNode) creation).desc);
        return isUsual ? creation : null;
    }

    /** How many frames the method needs. Each use must read one frame with a constant index, which is not smaller than the first. */
    private static int framesCount(Spot spot, MethodInsnNode read, int first) throws Refused, AnalyzerException {
        int count = 0;
        for (Map.Entry<AbstractInsnNode, Set<Integer>> use : Flow.of(spot, read).uses().entrySet()) {
            Integer index = use.getKey().getOpcode() == Opcodes.AALOAD ? IntConstant.of(IntConstant.real(use.getKey(), false)) : null;
            if (index == null || index < first) {
                throw new Refused("the method uses the stack in another way than to read frames with constant indexes");
            }
            count = Math.max(count, index + 1);
        }
        if (count == 0) {
            throw new Refused("the method reads no frame of the stack");
        }
        return count;
    }
}
