package whittle.agent;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Calls one method when a method begins, and another one whenever the method ends, also with an exception. */
final class Around extends TokenPatch {
    private final String before;
    private final String after;
    private final List<Integer> parameters;
    private final Shape shape;
    private final Label begin = new Label();

    private Around(MethodVisitor output, Shape shape, String before, String after, List<Integer> parameters) {
        super(output, shape, parameters.size());
        this.before = before;
        this.after = after;
        this.parameters = parameters;
        this.shape = shape;
    }

    /**
     * The first method takes the first object and returns a token. The second method takes the token. If there are two
     * objects, the second method also takes both.
     */
    static Site.Change calls(String before, String after, Integer... parameters) {
        return (output, shape) -> new Around(output, shape, before, after, Arrays.asList(parameters));
    }

    @Override
    public void visitCode() {
        super.visitCode();
        for (int number = 0; number < parameters.size(); number++) {
            Entry.load(mv, shape, parameters.get(number));
            super.visitVarInsn(Opcodes.ASTORE, copy(number));
        }
        super.visitVarInsn(Opcodes.ALOAD, copy(0));
        call(before, "(Ljava/lang/Object;)J");
        super.visitVarInsn(Opcodes.LSTORE, token());
        super.visitLabel(begin);
    }

    @Override
    public void visitInsn(int opcode) {
        if (opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN) {
            callAfter();
        }
        super.visitInsn(opcode);
    }

    private void callAfter() {
        super.visitVarInsn(Opcodes.LLOAD, token());
        StringBuilder descriptor = new StringBuilder("(J");
        for (int number = 0; number < parameters.size() && parameters.size() > 1; number++) {
            super.visitVarInsn(Opcodes.ALOAD, copy(number));
            descriptor.append("Ljava/lang/Object;");
        }
        call(after, descriptor + ")V");
    }

    /** The handler comes last in the table, so the method's own handlers take precedence. */
    @Override
    public void visitMaxs(int stack, int locals) {
        Label handler = new Label();
        super.visitTryCatchBlock(begin, handler, handler, null);
        super.visitLabel(handler);
        Object[] variables = extended(Collections.emptyList());
        mv.visitFrame(Opcodes.F_NEW, variables.length, variables, 1, new Object[] {"java/lang/Throwable"});
        callAfter();
        super.visitInsn(Opcodes.ATHROW);
        super.visitMaxs(stack, locals);
    }

    @Override
    boolean isComplete() {
        return true;
    }
}
