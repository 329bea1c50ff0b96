package whittle.agent;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Writes a method with additional local variables after its own ones: a token of type `long`, and copies of some objects.
 *
 * <p>The additional variables have a value from the begin of the method on, so every stack map frame gets them. The agent
 * computes no frames, and therefore loads no classes of the program.
 */
abstract class TokenPatch extends Patch {
    private final int firstLocal;
    private final int copies;

    TokenPatch(MethodVisitor output, Shape shape, int copies) {
        super(output);
        this.firstLocal = shape.locals;
        this.copies = copies;
    }

    final int token() {
        return firstLocal;
    }

    final int copy(int number) {
        return firstLocal + 2 + number;
    }

    @Override
    public void visitFrame(int type, int localCount, Object[] local, int stackCount, Object[] stack) {
        Object[] extended = extended(Arrays.asList(local).subList(0, localCount));
        super.visitFrame(Opcodes.F_NEW, extended.length, extended, stackCount, stack);
    }

    /** The variables of a frame, with ours. */
    final Object[] extended(List<Object> local) {
        List<Object> all = new ArrayList<>(local);
        int slots = 0;
        for (Object type : local) {
            slots += type == Opcodes.LONG || type == Opcodes.DOUBLE ? 2 : 1;
        }
        for (; slots < firstLocal; slots++) {
            all.add(Opcodes.TOP);
        }
        all.add(Opcodes.LONG);
        for (int number = 0; number < copies; number++) {
            all.add("java/lang/Object");
        }
        return all.toArray();
    }
}
