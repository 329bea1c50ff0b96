package whittle.agent;

import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Calls a method with this object when a constructor returns. */
final class Constructed extends Patch {
    private final String hook;
    private boolean hasReturn;

    private Constructed(MethodVisitor output, String hook) {
        super(output);
        this.hook = hook;
    }

    static Site.Change calls(String hook) {
        return (output, shape) -> new Constructed(output, hook);
    }

    @Override
    public void visitInsn(int opcode) {
        if (opcode == Opcodes.RETURN) {
            super.visitVarInsn(Opcodes.ALOAD, 0);
            call(hook, "(Ljava/lang/Object;)V");
            hasReturn = true;
        }
        super.visitInsn(opcode);
    }

    @Override
    boolean isComplete() {
        return hasReturn;
    }
}
