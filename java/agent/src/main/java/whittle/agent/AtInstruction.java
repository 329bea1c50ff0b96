package whittle.agent;

import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Calls methods directly before, and perhaps directly after, certain instructions of a method. */
final class AtInstruction extends Patch {
    private final String taskType;
    private final String before;
    private final String after;
    private boolean isFound;

    private AtInstruction(MethodVisitor output, String taskType, String before, String after) {
        super(output);
        this.taskType = taskType;
        this.before = before;
        this.after = after;
    }

    /** A loop that runs one task after the other: the task begins before its method is called, and ends after the call. */
    static Site.Change aroundRunOf(String taskType) {
        return (output, shape) -> new AtInstruction(output, taskType, "Tasks.startInWorker", "Tasks.endInWorker");
    }

    /** A constructor: the method gets the new object. */
    static Site.Change beforeReturn(String hook) {
        return (output, shape) -> new AtInstruction(output, null, hook, null);
    }

    @Override
    public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
        boolean isTask = owner.equals(taskType) && name.equals("run") && descriptor.equals("()V");
        if (isTask) {
            super.visitInsn(Opcodes.DUP);
            callBefore();
        }
        super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
        if (isTask) {
            call(after, "()V");
        }
    }

    @Override
    public void visitInsn(int opcode) {
        if (taskType == null && opcode == Opcodes.RETURN) {
            super.visitVarInsn(Opcodes.ALOAD, 0);
            callBefore();
        }
        super.visitInsn(opcode);
    }

    private void callBefore() {
        call(before, "(Ljava/lang/Object;)V");
        isFound = true;
    }

    @Override
    boolean isComplete() {
        return isFound;
    }
}
