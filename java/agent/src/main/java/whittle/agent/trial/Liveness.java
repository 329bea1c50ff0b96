package whittle.agent.trial;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LookupSwitchInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TableSwitchInsnNode;
import org.objectweb.asm.tree.TryCatchBlockNode;
import org.objectweb.asm.tree.VarInsnNode;

/** Whether a method still reads what a variable contains. */
final class Liveness {
    private final MethodNode method;

    Liveness(MethodNode method) {
        this.method = method;
    }

    /** True if a way from this instruction reads the variable before it gets another value. */
    boolean isRead(int slot, AbstractInsnNode from) {
        Deque<AbstractInsnNode> waiting = new ArrayDeque<>();
        Set<AbstractInsnNode> seen = new HashSet<>();
        add(waiting, from);
        while (!waiting.isEmpty()) {
            AbstractInsnNode node = waiting.pop();
            if (!seen.add(node)) {
                continue;
            }
            addHandlers(waiting, node);
            if (node instanceof VarInsnNode && ((VarInsnNode) node).var == slot) {
                if (node.getOpcode() <= Opcodes.ALOAD || node.getOpcode() == Opcodes.RET) {
                    return true;
                }
                continue;
            }
            addNext(waiting, node);
        }
        return false;
    }

    private void addHandlers(Deque<AbstractInsnNode> waiting, AbstractInsnNode node) {
        int index = method.instructions.indexOf(node);
        for (TryCatchBlockNode block : method.tryCatchBlocks) {
            if (method.instructions.indexOf(block.start) <= index && index < method.instructions.indexOf(block.end)) {
                waiting.push(block.handler);
            }
        }
    }

    private static void addNext(Deque<AbstractInsnNode> waiting, AbstractInsnNode node) {
        int opcode = node.getOpcode();
        if (node instanceof JumpInsnNode) {
            waiting.push(((JumpInsnNode) node).label);
        } else if (node instanceof TableSwitchInsnNode) {
            waiting.push(((TableSwitchInsnNode) node).dflt);
            ((TableSwitchInsnNode) node).labels.forEach(waiting::push);
        } else if (node instanceof LookupSwitchInsnNode) {
            waiting.push(((LookupSwitchInsnNode) node).dflt);
            ((LookupSwitchInsnNode) node).labels.forEach(waiting::push);
        }
        boolean isEnd = opcode >= Opcodes.TABLESWITCH && opcode <= Opcodes.RETURN || opcode == Opcodes.GOTO || opcode == Opcodes.ATHROW;
        if (!isEnd) {
            add(waiting, node.getNext());
        }
    }

    private static void add(Deque<AbstractInsnNode> waiting, AbstractInsnNode node) {
        if (node != null) {
            waiting.push(node);
        }
    }
}
