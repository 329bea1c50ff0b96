package whittle.agent;

import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Writes a changed method. */
abstract class Patch extends MethodVisitor {
    private static final String HOOKS = "java/whittle/";

    Patch(MethodVisitor output) {
        super(Opcodes.ASM9, output);
    }

    /** Whether all expected instructions were found. If not, the class stays unchanged. */
    abstract boolean isComplete();

    /** Calls a static method of our classes: "Tasks.start". */
    final void call(String method, String descriptor) {
        int dot = method.indexOf('.');
        mv.visitMethodInsn(Opcodes.INVOKESTATIC, HOOKS + method.substring(0, dot), method.substring(dot + 1),
            descriptor, false);
    }
}
