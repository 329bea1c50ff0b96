package whittle.agent.trial;

import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.TryCatchBlockNode;

/** Counts how many calls of a method are active on a thread, with a call of ours at the begin and at all ends. */
final class Activations {
    private static final String NUMBER = "(I)V";

    private Activations() {
    }

    static void requireCountable(Spot spot) throws Refused {
        if (spot.classVersion < Opcodes.V1_6) {
            throw new Refused("the class file is older than Java 6");
        }
        if (spot.method.name.equals("<init>")) {
            throw new Refused("a constructor uses the object");
        }
    }

    static void count(Spot spot) {
        for (AbstractInsnNode node : spot.method.instructions.toArray()) {
            if (node.getOpcode() >= Opcodes.IRETURN && node.getOpcode() <= Opcodes.RETURN) {
                spot.insertBefore(node, spot.callOurs("Reused.leave", NUMBER));
            }
        }
        LabelNode begin = new LabelNode();
        InsnList entry = spot.callOurs("Reused.enter", NUMBER);
        entry.add(begin);
        spot.insertFirst(entry);
        LabelNode end = new LabelNode();
        InsnList handler = new InsnList();
        handler.add(end);
        handler.add(new FrameNode(Opcodes.F_NEW, 0, new Object[0], 1, new Object[] {"java/lang/Throwable"}));
        handler.add(spot.callOurs("Reused.leave", NUMBER));
        handler.add(new InsnNode(Opcodes.ATHROW));
        spot.append(handler);
        spot.method.tryCatchBlocks.add(new TryCatchBlockNode(begin, end, end, null));
    }
}
