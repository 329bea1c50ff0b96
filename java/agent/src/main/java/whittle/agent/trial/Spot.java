package whittle.agent.trial;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.IntInsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TypeInsnNode;

/** A place in the code that is being changed. */
final class Spot {
    /** The package of the methods that changed code calls. */
    static final String OURS = "java/whittle/trial/";
    /** No remedy needs more additional operands. */
    private static final int MORE_STACK = 4;

    final String className;
    /** Of the class file, without the minor version. */
    final int classVersion;
    final MethodNode method;
    final Place place;
    final AbstractInsnNode instruction;
    final List<String> notes = new ArrayList<>();
    /** Types of the object that other code can ask for, and that the change hides. */
    final Set<String> hidden = new TreeSet<>();
    private boolean hasMoreStack;

    Spot(String className, int classVersion, MethodNode method, Place place, AbstractInsnNode instruction) {
        this.className = className;
        this.classVersion = classVersion;
        this.method = method;
        this.place = place;
        this.instruction = instruction;
    }

    /** The call at this place. */
    MethodInsnNode call() throws Refused {
        if (!(instruction instanceof MethodInsnNode)) {
            throw new Refused("the instruction is not a call");
        }
        return (MethodInsnNode) instruction;
    }

    /** The class whose object is created at this place. */
    String created() throws Refused {
        if (instruction.getOpcode() != Opcodes.NEW) {
            throw new Refused("the instruction creates no object");
        }
        return ((TypeInsnNode) instruction).desc;
    }

    /** Pushes the place's number and calls a method of ours. */
    InsnList callOurs(String classAndMethod, String descriptor) {
        InsnList code = new InsnList();
        code.add(push(place.number));
        code.add(ours(classAndMethod, descriptor));
        return code;
    }

    void note(String text) {
        notes.add("note\t" + place.number + "\t" + text);
    }

    void insertBefore(AbstractInsnNode node, InsnList code) {
        growStack();
        method.instructions.insertBefore(node, code);
    }

    void insertAfter(AbstractInsnNode node, InsnList code) {
        growStack();
        method.instructions.insert(node, code);
    }

    void replace(AbstractInsnNode node, InsnList code) {
        growStack();
        method.instructions.insert(node, code);
        method.instructions.remove(node);
    }

    private void growStack() {
        if (!hasMoreStack) {
            method.maxStack += MORE_STACK;
            hasMoreStack = true;
        }
    }

    static MethodInsnNode ours(String classAndMethod, String descriptor) {
        String[] words = classAndMethod.split("\\.");
        return new MethodInsnNode(Opcodes.INVOKESTATIC, OURS + words[0], words[1], descriptor, false);
    }

    static AbstractInsnNode push(int number) {
        if (number >= -1 && number <= 5) {
            return new InsnNode(Opcodes.ICONST_0 + number);
        }
        if (number >= Short.MIN_VALUE && number <= Short.MAX_VALUE) {
            return new IntInsnNode(Opcodes.SIPUSH, number);
        }
        return new LdcInsnNode(number);
    }
}
