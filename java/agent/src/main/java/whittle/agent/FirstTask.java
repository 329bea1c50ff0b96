package whittle.agent;

import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** `runWorker(Worker)` of a ThreadPoolExecutor: the worker's first task begins. All later tasks come from {@link NextTask}. */
final class FirstTask extends Patch {
    private static final String FIELD = "firstTask";
    private static final String TYPE = "Ljava/lang/Runnable;";

    private final String worker;
    private boolean hasField;

    FirstTask(MethodVisitor output, Shape shape) {
        super(output);
        worker = shape.parameter(0).getInternalName();
    }

    @Override
    public void visitCode() {
        super.visitCode();
        super.visitVarInsn(Opcodes.ALOAD, 1);
        super.visitFieldInsn(Opcodes.GETFIELD, worker, FIELD, TYPE);
        call("Tasks.startInWorker", "(Ljava/lang/Object;)V");
    }

    /** The method reads the field itself, so the field exists. */
    @Override
    public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
        hasField |= owner.equals(worker) && name.equals(FIELD) && descriptor.equals(TYPE);
        super.visitFieldInsn(opcode, owner, name, descriptor);
    }

    @Override
    boolean isComplete() {
        return hasField;
    }
}
