package whittle.agent.trial;

import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.analysis.AnalyzerException;

/** Creates an exception without its stack, or lets the JDK do so. For this, two methods of Throwable change as well. */
final class NoStack implements Remedy {
    static final String THROWABLE = "java/lang/Throwable";
    private static final String STACKS = Spot.OURS + "Stacks";
    private static final String READ = "([Ljava/lang/StackTraceElement;Ljava/lang/Throwable;)V";

    private static final String TEXT = "(Ljava/lang/String;)";
    /** These methods throw exceptions of one class. */
    private static final Calling PARSING = new Calling()
        .with("java/lang/Integer.parseInt" + TEXT + "I", "Parsing.parseInt")
        .with("java/lang/Integer.valueOf" + TEXT + "Ljava/lang/Integer;", "Parsing.integer")
        .with("java/lang/Long.parseLong" + TEXT + "J", "Parsing.parseLong")
        .with("java/lang/Long.valueOf" + TEXT + "Ljava/lang/Long;", "Parsing.ofLong")
        .with("java/lang/Double.parseDouble" + TEXT + "D", "Parsing.parseDouble")
        .with("java/lang/Double.valueOf" + TEXT + "Ljava/lang/Double;", "Parsing.ofDouble");

    @Override
    public void apply(Spot spot) throws Refused, AnalyzerException {
        if (spot.instruction instanceof MethodInsnNode) {
            PARSING.apply(spot);
            return;
        }
        String type = spot.created();
        if (spot.classVersion < Opcodes.V1_5) {
            throw new Refused("the class file is older than Java 5");
        }
        MethodInsnNode constructor = Flow.of(spot).usualConstructor();
        InsnList code = new InsnList();
        code.add(new LdcInsnNode(Type.getObjectType(type)));
        code.add(spot.callOurs("Stacks.leaveOut", "(Ljava/lang/Class;I)V"));
        spot.insertBefore(constructor, code);
    }

    /**
     * Lets the class Throwable ask whether an exception gets a stack, and tell when a stack is read. Null: this JVM has another class
     * Throwable.
     */
    static byte[] changeThrowable(byte[] file) {
        ClassReader reader = new ClassReader(file);
        ClassWriter writer = new ClassWriter(reader, 0);
        int[] changed = {0};
        reader.accept(new ClassVisitor(Opcodes.ASM9, writer) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
                MethodVisitor output = super.visitMethod(access, name, descriptor, signature, exceptions);
                if (name.equals("fillInStackTrace") && descriptor.equals("()Ljava/lang/Throwable;")) {
                    changed[0]++;
                    return asks(output);
                }
                if (name.equals("getOurStackTrace")) {
                    changed[0]++;
                    return tells(output);
                }
                return output;
            }
        }, ClassReader.EXPAND_FRAMES);
        return changed[0] == 2 ? writer.toByteArray() : null;
    }

    private static MethodVisitor asks(MethodVisitor output) {
        return new MethodVisitor(Opcodes.ASM9, output) {
            @Override
            public void visitCode() {
                super.visitCode();
                Label usual = new Label();
                super.visitVarInsn(Opcodes.ALOAD, 0);
                super.visitMethodInsn(Opcodes.INVOKESTATIC, STACKS, "isLeftOut", "(Ljava/lang/Throwable;)Z", false);
                super.visitJumpInsn(Opcodes.IFEQ, usual);
                super.visitVarInsn(Opcodes.ALOAD, 0);
                super.visitInsn(Opcodes.ARETURN);
                super.visitLabel(usual);
                super.visitFrame(Opcodes.F_NEW, 1, new Object[] {THROWABLE}, 0, new Object[0]);
                // Two frames must not be at the same instruction.
                super.visitInsn(Opcodes.NOP);
            }
        };
    }

    private static MethodVisitor tells(MethodVisitor output) {
        return new MethodVisitor(Opcodes.ASM9, output) {
            @Override
            public void visitInsn(int opcode) {
                if (opcode == Opcodes.ARETURN) {
                    super.visitInsn(Opcodes.DUP);
                    super.visitVarInsn(Opcodes.ALOAD, 0);
                    super.visitMethodInsn(Opcodes.INVOKESTATIC, STACKS, "read", READ, false);
                }
                super.visitInsn(opcode);
            }

            @Override
            public void visitMaxs(int stack, int locals) {
                super.visitMaxs(stack + 2, locals);
            }
        };
    }
}
