package whittle.agent;

import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * `run(Runnable)` of a virtual thread. Our calls are directly around `runWith`, because JDK 21 forbids other code before
 * and after. An exception of the task leads to `dispatchUncaughtException`.
 */
final class ThreadCall extends TokenPatch {
    private boolean hasCall;

    ThreadCall(MethodVisitor output, Shape shape) {
        super(output, shape, 0);
    }

    @Override
    public void visitCode() {
        super.visitCode();
        super.visitInsn(Opcodes.LCONST_0);
        super.visitVarInsn(Opcodes.LSTORE, token());
    }

    @Override
    public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
        boolean isTask = name.equals("runWith");
        if (isTask) {
            callStart();
        } else if (name.equals("dispatchUncaughtException")) {
            callFinish();
        }
        super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
        if (isTask) {
            callFinish();
            hasCall = true;
        }
    }

    private void callStart() {
        super.visitVarInsn(Opcodes.ALOAD, 0);
        super.visitVarInsn(Opcodes.ALOAD, 1);
        call("VirtualThreads.start", "(Ljava/lang/Object;Ljava/lang/Object;)J");
        super.visitVarInsn(Opcodes.LSTORE, token());
    }

    private void callFinish() {
        super.visitVarInsn(Opcodes.LLOAD, token());
        super.visitVarInsn(Opcodes.ALOAD, 0);
        call("VirtualThreads.finish", "(JLjava/lang/Object;)V");
    }

    @Override
    boolean isComplete() {
        return hasCall;
    }
}
