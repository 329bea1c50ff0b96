package whittle.agent;

import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Calls a method with a field of this object or of a parameter when a method begins. */
final class FieldEntry extends Patch {
    private final String hook;
    private final String owner;
    private final String field;
    private final String type;
    private final Shape shape;
    private final int parameter;
    private boolean hasField;

    private FieldEntry(MethodVisitor output, Shape shape, String hook, int parameter, String[] field) {
        super(output);
        this.shape = shape;
        this.hook = hook;
        this.parameter = parameter;
        this.owner = field[0];
        this.field = field[1];
        this.type = field[2];
    }

    /** The field: the class with the field, its name, and its descriptor. */
    static Site.Change calls(String hook, int parameter, String... field) {
        return (output, shape) -> new FieldEntry(output, shape, hook, parameter, field);
    }

    @Override
    public void visitCode() {
        super.visitCode();
        Entry.load(mv, shape, parameter);
        super.visitFieldInsn(Opcodes.GETFIELD, owner, field, type);
        call(hook, "(Ljava/lang/Object;)V");
    }

    /** The method uses the field itself, so the field exists. */
    @Override
    public void visitFieldInsn(int opcode, String fieldOwner, String name, String descriptor) {
        hasField |= fieldOwner.equals(owner) && name.equals(field) && descriptor.equals(type);
        super.visitFieldInsn(opcode, fieldOwner, name, descriptor);
    }

    @Override
    boolean isComplete() {
        return hasField;
    }
}
