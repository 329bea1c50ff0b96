package whittle.agent;

import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Calls a method with one object, or without any, when a method begins. */
final class Entry extends Patch {
    static final int THIS = -1;
    static final int NOTHING = -2;

    private final String hook;
    private final int parameter;
    private final Shape shape;

    private Entry(MethodVisitor output, Shape shape, String hook, int parameter) {
        super(output);
        this.hook = hook;
        this.parameter = parameter;
        this.shape = shape;
    }

    static Site.Change calls(String hook, int parameter) {
        return (output, shape) -> new Entry(output, shape, hook, parameter);
    }

    @Override
    public void visitCode() {
        super.visitCode();
        if (parameter == NOTHING) {
            call(hook, "()V");
        } else {
            load(mv, shape, parameter);
            call(hook, "(Ljava/lang/Object;)V");
        }
    }

    /** Pushes this object, or a parameter of an object type. */
    static void load(MethodVisitor output, Shape shape, int parameter) {
        output.visitVarInsn(Opcodes.ALOAD, parameter == THIS ? 0 : shape.slot(parameter));
    }

    @Override
    boolean isComplete() {
        return true;
    }
}
