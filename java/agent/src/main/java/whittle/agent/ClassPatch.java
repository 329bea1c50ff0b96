package whittle.agent;

import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Changes the methods of one class. */
final class ClassPatch extends ClassVisitor {
    private final List<Site> sites;
    private final ClassShape shape;
    private final List<Site> found = new ArrayList<>();
    private final List<Patch> patches = new ArrayList<>();

    private ClassPatch(ClassVisitor output, List<Site> sites, ClassShape shape) {
        super(Opcodes.ASM9, output);
        this.sites = sites;
        this.shape = shape;
    }

    /**
     * The changed class file, or null if no method of the class has a site.
     *
     * @throws IllegalStateException if a method does not contain the expected instructions
     */
    static byte[] apply(String name, byte[] file, Report report) {
        return apply(name, Sites.of(name), file, report);
    }

    static byte[] apply(String name, List<Site> sites, byte[] file, Report report) {
        ClassReader reader = new ClassReader(file);
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        ClassPatch patch = new ClassPatch(writer, sites, new ClassShape(reader));
        reader.accept(patch, ClassReader.EXPAND_FRAMES);
        if (patch.found.isEmpty()) {
            return null;
        }
        for (int number = 0; number < patch.patches.size(); number++) {
            if (!patch.patches.get(number).isComplete()) {
                throw new IllegalStateException("unexpected code in " + patch.found.get(number).method);
            }
        }
        for (Site site : patch.found) {
            report.changed(site.what, name.replace('/', '.'), site.method);
        }
        return writer.toByteArray();
    }

    @Override
    public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
        MethodVisitor output = super.visitMethod(access, name, descriptor, signature, exceptions);
        Integer size = shape.locals(name, descriptor);
        if (size == null) {
            return output;
        }
        for (Site site : sites) {
            if (site.matches(name, descriptor)) {
                Patch patch = site.change.patch(output, new Shape(access, descriptor, size, shape));
                found.add(site);
                patches.add(patch);
                return patch;
            }
        }
        return new Renewed(output);
    }
}
