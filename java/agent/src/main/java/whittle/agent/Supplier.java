package whittle.agent;

import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * A method from which a loop gets its next task: the last task has ended when the method begins, and the returned task
 * begins.
 *
 * <p>A loop that began before the agent runs unchanged code until it ends, but this code also calls the changed method.
 */
final class Supplier extends Patch {
    private final String ended;
    private final String begins;
    private boolean hasReturn;

    private Supplier(MethodVisitor output, String ended, String begins) {
        super(output);
        this.ended = ended;
        this.begins = begins;
    }

    static Site.Change calls(String ended, String begins) {
        return (output, shape) -> new Supplier(output, ended, begins);
    }

    @Override
    public void visitCode() {
        super.visitCode();
        call(ended, "()V");
    }

    @Override
    public void visitInsn(int opcode) {
        if (opcode == Opcodes.ARETURN) {
            super.visitInsn(Opcodes.DUP);
            call(begins, "(Ljava/lang/Object;)V");
            hasReturn = true;
        }
        super.visitInsn(opcode);
    }

    @Override
    boolean isComplete() {
        return hasReturn;
    }
}
