package whittle.agent;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Calls one method when a method begins, and another one whenever the method ends, also with an exception. */
final class Around extends TokenPatch {
    /** Reads the status of a response, which is its last object; null: the status is unknown. */
    private static final String REQUEST_END = "Requests.end";

    /** The object that the method returns, instead of a parameter. It is null before, and after an exception. */
    static final int RESULT = -3;

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

    /** The first method takes the objects and returns a token. The second method takes the token and the objects. */
    static Site.Change calls(String before, String after, Integer... parameters) {
        return (output, shape) -> new Around(output, shape, before, after, Arrays.asList(parameters));
    }

    @Override
    public void visitCode() {
        super.visitCode();
        for (int number = 0; number < parameters.size(); number++) {
            if (parameters.get(number) == RESULT) {
                super.visitInsn(Opcodes.ACONST_NULL);
            } else {
                Entry.load(mv, shape, parameters.get(number));
            }
            super.visitVarInsn(Opcodes.ASTORE, copy(number));
        }
        call(before, "(" + loadCopies() + ")J");
        super.visitVarInsn(Opcodes.LSTORE, token());
        super.visitLabel(begin);
    }

    @Override
    public void visitInsn(int opcode) {
        if (opcode == Opcodes.ARETURN && parameters.contains(RESULT)) {
            super.visitInsn(Opcodes.DUP);
            super.visitVarInsn(Opcodes.ASTORE, copy(parameters.indexOf(RESULT)));
        }
        if (opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN) {
            callAfter();
        }
        super.visitInsn(opcode);
    }

    private void callAfter() {
        super.visitVarInsn(Opcodes.LLOAD, token());
        call(after, "(J" + loadCopies() + ")V");
    }

    /** Pushes the objects. Returns their types for a descriptor. */
    private String loadCopies() {
        StringBuilder types = new StringBuilder();
        for (int number = 0; number < parameters.size(); number++) {
            super.visitVarInsn(Opcodes.ALOAD, copy(number));
            types.append("Ljava/lang/Object;");
        }
        return types.toString();
    }

    /** The handler comes last in the table, so the method's own handlers take precedence. */
    @Override
    public void visitMaxs(int stack, int locals) {
        Label handler = new Label();
        super.visitTryCatchBlock(begin, handler, handler, null);
        super.visitLabel(handler);
        Object[] variables = extended(Collections.emptyList());
        mv.visitFrame(Opcodes.F_NEW, variables.length, variables, 1, new Object[] {"java/lang/Throwable"});
        if (after.equals(REQUEST_END)) {
            // The response still has the status of a success. The server sets another status later.
            super.visitInsn(Opcodes.ACONST_NULL);
            super.visitVarInsn(Opcodes.ASTORE, copy(parameters.size() - 1));
        }
        callAfter();
        super.visitInsn(Opcodes.ATHROW);
        super.visitMaxs(stack, locals);
    }

    @Override
    boolean isComplete() {
        return true;
    }
}
