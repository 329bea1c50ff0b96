package whittle.agent.trial;

import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.MethodNode;

/**
 * A method with its new code and its old code. The method asks at its start which of both it executes, so the JVM compiles both, and a
 * turn changes no class.
 *
 * <pre>
 *     if (!Turns.isNew) goto old
 *     new code
 * old:
 *     old code, which counts
 * </pre>
 */
final class BothCodes {
    /** The JVM compiles no larger method (`HugeMethodLimit`). */
    static final int MAX_BYTES = 8000;

    private static final String TURNS = Spot.OURS + "Turns";
    /** The first version of class files with frames. */
    private static final int FIRST_WITH_FRAMES = 50;

    private BothCodes() {
    }

    /** Adds the old code to a method with the new code. */
    static void join(MethodNode changed, MethodNode old, ClassReader owner) {
        LabelNode oldStart = new LabelNode();
        InsnList question = new InsnList();
        question.add(new FieldInsnNode(Opcodes.GETSTATIC, TURNS, "isNew", "Z"));
        question.add(new JumpInsnNode(Opcodes.IFEQ, oldStart));
        changed.instructions.insert(question);
        changed.instructions.add(oldStart);
        if (Spot.versionOf(owner) >= FIRST_WITH_FRAMES) {
            changed.instructions.add(firstFrame(changed, owner.getClassName()));
        }
        // The old code can begin with a frame of its own, and two frames need two instructions.
        changed.instructions.add(new InsnNode(Opcodes.NOP));
        changed.instructions.add(old.instructions);
        changed.tryCatchBlocks.addAll(old.tryCatchBlocks);
        if (changed.localVariables != null && old.localVariables != null) {
            changed.localVariables.addAll(old.localVariables);
        }
        changed.maxStack = Math.max(Math.max(changed.maxStack, old.maxStack), 1);
        changed.maxLocals = Math.max(changed.maxLocals, old.maxLocals);
    }

    /** The code of a method as it is in the file. */
    static MethodNode oldCode(byte[] file, String name, String descriptor) {
        MethodNode[] found = new MethodNode[1];
        new ClassReader(file).accept(new ClassVisitor(Opcodes.ASM9) {
            @Override
            public MethodVisitor visitMethod(int access, String other, String type, String signature, String[] exceptions) {
                if (!other.equals(name) || !type.equals(descriptor)) {
                    return null;
                }
                found[0] = new MethodNode(Opcodes.ASM9, access, other, type, signature, exceptions);
                return found[0];
            }
        }, ClassReader.EXPAND_FRAMES);
        return found[0];
    }

    /** Counts the executions of an instruction of the old code. */
    static void count(MethodNode old, AbstractInsnNode instruction) {
        InsnList call = new InsnList();
        call.add(Spot.callOf("Turns.ranOld", "()V"));
        if (instruction.getOpcode() == Opcodes.NEW) {
            // Frames name the position of this instruction, so nothing may come between them.
            old.instructions.insert(instruction, call);
        } else {
            old.instructions.insertBefore(instruction, call);
        }
    }

    /** True for a call that belongs to no place. */
    static boolean isOwnCall(String owner) {
        return owner.equals(TURNS);
    }

    /** The variables of a method when it begins. */
    private static FrameNode firstFrame(MethodNode method, String className) {
        List<Object> variables = new ArrayList<>();
        if ((method.access & Opcodes.ACC_STATIC) == 0) {
            variables.add(method.name.equals("<init>") ? Opcodes.UNINITIALIZED_THIS : className);
        }
        for (Type parameter : Type.getArgumentTypes(method.desc)) {
            variables.add(inFrame(parameter));
        }
        return new FrameNode(Opcodes.F_NEW, variables.size(), variables.toArray(), 0, new Object[0]);
    }

    private static Object inFrame(Type type) {
        switch (type.getSort()) {
            case Type.FLOAT:
                return Opcodes.FLOAT;
            case Type.LONG:
                return Opcodes.LONG;
            case Type.DOUBLE:
                return Opcodes.DOUBLE;
            case Type.ARRAY:
            case Type.OBJECT:
                return type.getInternalName();
            default:
                return Opcodes.INTEGER;
        }
    }
}
