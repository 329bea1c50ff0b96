package whittle.agent;

import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Calls a method with this object, its field `state` of type `int`, and constants of its class, when a method begins. The class of
 * another JDK can lack the constants. Then there is no call.
 */
final class StateEntry extends Patch {
    private static final String STATE = "state";

    private final String hook;
    private final String[] constants;
    private final Shape shape;

    private StateEntry(MethodVisitor output, Shape shape, String hook, String[] constants) {
        super(output);
        this.hook = hook;
        this.constants = constants;
        this.shape = shape;
    }

    /** The constants: names of static final fields of type `int` of the same class. */
    static Site.Change calls(String hook, String... constants) {
        return (output, shape) -> new StateEntry(output, shape, hook, constants);
    }

    @Override
    public void visitCode() {
        super.visitCode();
        for (String constant : constants) {
            if (shape.owner.constant(constant) == null) {
                // As in all methods of a changed class, so that stacks with the old method keep their names.
                super.visitInsn(Opcodes.NOP);
                return;
            }
        }
        StringBuilder types = new StringBuilder("(Ljava/lang/Object;I");
        super.visitVarInsn(Opcodes.ALOAD, 0);
        super.visitVarInsn(Opcodes.ALOAD, 0);
        super.visitFieldInsn(Opcodes.GETFIELD, shape.owner.name, STATE, "I");
        for (String constant : constants) {
            super.visitLdcInsn(shape.owner.constant(constant));
            types.append('I');
        }
        call(hook, types.append(")V").toString());
    }

    /** Without the field, the changed method would fail. */
    @Override
    boolean isComplete() {
        return shape.owner.hasField(STATE);
    }
}
