package whittle.agent.trial;

import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;

/** The instruction that compilers write for `+` between texts, since Java 9. Its recipe is a text with the operands' places. */
final class Concatenation {
    /** In a recipe, this means an operand. */
    static final char OPERAND = '\1';
    /** In a recipe, this means a constant that is not in the recipe. */
    static final char CONSTANT = '\2';
    private static final String LINKER = "java/lang/invoke/StringConcatFactory";
    private static final AbstractInsnNode NOTHING = new InsnNode(Opcodes.NOP);

    private Concatenation() {
    }

    static boolean is(AbstractInsnNode node) {
        return node instanceof InvokeDynamicInsnNode && ((InvokeDynamicInsnNode) node).bsm.getOwner().equals(LINKER)
            && ((InvokeDynamicInsnNode) node).bsm.getName().equals("makeConcatWithConstants");
    }

    static InvokeDynamicInsnNode of(Spot spot) throws Refused {
        if (!is(spot.instruction)) {
            throw new Refused("the instruction does not concatenate texts in the way of Java 9 and later");
        }
        return (InvokeDynamicInsnNode) spot.instruction;
    }

    /** The instruction that always gets the text, or one that does nothing: other instructions jump to a frame, too. */
    static AbstractInsnNode following(AbstractInsnNode node) {
        AbstractInsnNode next = node.getNext();
        while (next != null && next.getOpcode() < 0 && !(next instanceof FrameNode)) {
            next = next.getNext();
        }
        return next == null || next instanceof FrameNode ? NOTHING : next;
    }
}
