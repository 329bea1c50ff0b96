package whittle.agent;

import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** A loop that runs one task after the other: the task begins before its method is called, and ends after the call. */
final class CallOf extends Patch {
    private final String taskType;
    private boolean hasCall;

    private CallOf(MethodVisitor output, String taskType) {
        super(output);
        this.taskType = taskType;
    }

    static Site.Change run(String taskType) {
        return (output, shape) -> new CallOf(output, taskType);
    }

    @Override
    public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
        boolean isTask = owner.equals(taskType) && name.equals("run") && descriptor.equals("()V");
        if (isTask) {
            super.visitInsn(Opcodes.DUP);
            call("Tasks.startInWorker", "(Ljava/lang/Object;)V");
        }
        super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
        if (isTask) {
            call("Tasks.endInWorker", "()V");
            hasCall = true;
        }
    }

    @Override
    boolean isComplete() {
        return hasCall;
    }
}
