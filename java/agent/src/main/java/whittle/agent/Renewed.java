package whittle.agent;

import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Adds an instruction that does nothing to a method without a site.
 *
 * <p>If the old and the new version of a method have the same instructions, the JVM gives the id of the new version to a thread
 * that is inside the old one, and a profiler rejects it. Versions that differ have ids of their own ({@link OldMethods}).
 */
final class Renewed extends MethodVisitor {
    Renewed(MethodVisitor output) {
        super(Opcodes.ASM9, output);
    }

    @Override
    public void visitCode() {
        super.visitCode();
        super.visitInsn(Opcodes.NOP);
    }
}
