package whittle.agent.trial;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.IntInsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
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
    /** Where a class file has its version, without the minor version. */
    private static final int VERSION_AT = 6;

    final String className;
    /** Of the class file, without the minor version. */
    final int classVersion;
    private final ClassReader owner;
    final MethodNode method;
    final Place place;
    final AbstractInsnNode instruction;
    final List<String> notes = new ArrayList<>();
    /** Types of the object that other code can ask for, and that the change hides. */
    final Set<String> hidden = new TreeSet<>();
    private boolean hasMoreStack;
    private int callsCount;

    Spot(ClassReader owner, MethodNode method, Place place, AbstractInsnNode instruction) {
        this.owner = owner;
        this.className = owner.getClassName();
        this.classVersion = versionOf(owner);
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

    /** How many calls of our methods the change has. */
    int callsCount() {
        return callsCount;
    }

    /** The whole class, unchanged. */
    ClassNode owner() {
        ClassNode node = new ClassNode();
        owner.accept(node, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        return node;
    }

    /** Calls a method of ours for this place. */
    MethodInsnNode ours(String classAndMethod, String descriptor) {
        callsCount++;
        return callOf(classAndMethod, descriptor);
    }

    /** Calls a method of ours. */
    static MethodInsnNode callOf(String classAndMethod, String descriptor) {
        String[] words = classAndMethod.split("\\.");
        return new MethodInsnNode(Opcodes.INVOKESTATIC, OURS + words[0], words[1], descriptor, false);
    }

    /** The version of a class file, without the minor version. */
    static int versionOf(ClassReader owner) {
        return owner.readUnsignedShort(VERSION_AT);
    }

    /** An instruction that a method of ours links, with these constants. */
    InvokeDynamicInsnNode dynamicOfOurs(String classAndMethod, String linker, String descriptor, Object... constants) {
        callsCount++;
        String[] words = classAndMethod.split("\\.");
        Handle method = new Handle(Opcodes.H_INVOKESTATIC, OURS + words[0], words[1], linker, false);
        return new InvokeDynamicInsnNode("changed", descriptor, method, constants);
    }

    void note(String text) {
        notes.add("note\t" + place.planned + "\t" + text);
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

    void insertFirst(InsnList code) {
        growStack();
        method.instructions.insert(code);
    }

    void append(InsnList code) {
        growStack();
        method.instructions.add(code);
    }

    private void growStack() {
        if (!hasMoreStack) {
            method.maxStack += MORE_STACK;
            hasMoreStack = true;
        }
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
