package whittle.agent.trial;

import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Programs end a mapping with a method of `sun.misc.Unsafe`. It must leave out the mappings that a place keeps. */
final class Unmapping {
    static final String UNSAFE = "sun/misc/Unsafe";
    private static final String BUFFER = "Ljava/nio/ByteBuffer;";

    private Unmapping() {
    }

    /** Null: the class has no such method. */
    static byte[] changeUnsafe(byte[] file) {
        ClassReader reader = new ClassReader(file);
        ClassWriter writer = new ClassWriter(reader, 0);
        boolean[] isChanged = {false};
        reader.accept(new ClassVisitor(Opcodes.ASM9, writer) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
                MethodVisitor output = super.visitMethod(access, name, descriptor, signature, exceptions);
                if (!name.equals("invokeCleaner") || !descriptor.equals("(" + BUFFER + ")V")) {
                    return output;
                }
                isChanged[0] = true;
                return asks(output);
            }
        }, ClassReader.EXPAND_FRAMES);
        return isChanged[0] ? writer.toByteArray() : null;
    }

    private static MethodVisitor asks(MethodVisitor output) {
        return new MethodVisitor(Opcodes.ASM9, output) {
            @Override
            public void visitCode() {
                super.visitCode();
                Label usual = new Label();
                super.visitVarInsn(Opcodes.ALOAD, 1);
                super.visitMethodInsn(Opcodes.INVOKESTATIC, Spot.OURS + "Mappings", "isKept", "(" + BUFFER + ")Z", false);
                super.visitJumpInsn(Opcodes.IFEQ, usual);
                super.visitInsn(Opcodes.RETURN);
                super.visitLabel(usual);
                super.visitFrame(Opcodes.F_NEW, 2, new Object[] {UNSAFE, "java/nio/ByteBuffer"}, 0, new Object[0]);
                // Two frames must not be at the same instruction.
                super.visitInsn(Opcodes.NOP);
            }
        };
    }
}
