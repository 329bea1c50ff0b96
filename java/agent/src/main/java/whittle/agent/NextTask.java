package whittle.agent;

import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * `getTask()` of a ThreadPoolExecutor: the worker's last task has ended, and the returned one begins.
 *
 * <p>A worker that existed before the agent stays in its old loop, but also this loop calls the changed `getTask`.
 */
final class NextTask extends Patch {
    private boolean hasReturn;

    NextTask(MethodVisitor output, Shape shape) {
        super(output);
    }

    @Override
    public void visitCode() {
        super.visitCode();
        call("Tasks.endInWorker", "()V");
    }

    @Override
    public void visitInsn(int opcode) {
        if (opcode == Opcodes.ARETURN) {
            super.visitInsn(Opcodes.DUP);
            call("Tasks.startInWorker", "(Ljava/lang/Object;)V");
            hasReturn = true;
        }
        super.visitInsn(opcode);
    }

    @Override
    boolean isComplete() {
        return hasReturn;
    }
}
