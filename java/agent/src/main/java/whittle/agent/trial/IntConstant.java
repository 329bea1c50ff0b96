package whittle.agent.trial;

import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.IntInsnNode;
import org.objectweb.asm.tree.LdcInsnNode;

/** Numbers in the code. */
final class IntConstant {
    private IntConstant() {
    }

    /** The number that the instruction pushes, or null. */
    static Integer of(AbstractInsnNode node) {
        int opcode = node == null ? -1 : node.getOpcode();
        if (opcode >= Opcodes.ICONST_M1 && opcode <= Opcodes.ICONST_5) {
            return opcode - Opcodes.ICONST_0;
        }
        if (opcode == Opcodes.BIPUSH || opcode == Opcodes.SIPUSH) {
            return ((IntInsnNode) node).operand;
        }
        if (opcode == Opcodes.LDC && ((LdcInsnNode) node).cst instanceof Integer) {
            return (Integer) ((LdcInsnNode) node).cst;
        }
        return null;
    }

    /** The next instruction in this direction that is no label or the like, or null. */
    static AbstractInsnNode real(AbstractInsnNode from, boolean isForward) {
        AbstractInsnNode node = isForward ? from.getNext() : from.getPrevious();
        while (node != null && node.getOpcode() < 0) {
            node = isForward ? node.getNext() : node.getPrevious();
        }
        return node;
    }
}
