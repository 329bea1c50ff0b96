package whittle.agent;

import java.util.HashMap;
import java.util.Map;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** The fields of a class, and the sizes of its methods. */
final class ClassShape {
    final String name;
    private final Map<String, Object> fields = new HashMap<>();
    private final Map<String, Integer> locals = new HashMap<>();

    ClassShape(ClassReader reader) {
        name = reader.getClassName();
        reader.accept(new ClassVisitor(Opcodes.ASM9) {
            @Override
            public FieldVisitor visitField(int access, String field, String descriptor, String signature, Object value) {
                fields.put(field, value);
                return null;
            }

            @Override
            public MethodVisitor visitMethod(int access, String method, String descriptor, String signature,
                                             String[] exceptions) {
                return new MethodVisitor(Opcodes.ASM9) {
                    @Override
                    public void visitMaxs(int stack, int size) {
                        locals.put(method + descriptor, size);
                    }
                };
            }
        }, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
    }

    /** The number of local variable slots of a method, or null if it has no code. */
    Integer locals(String method, String descriptor) {
        return locals.get(method + descriptor);
    }

    boolean hasField(String field) {
        return fields.containsKey(field);
    }

    /** The value of a constant, or null if the class has none with this name. */
    Object constant(String field) {
        return fields.get(field);
    }
}
