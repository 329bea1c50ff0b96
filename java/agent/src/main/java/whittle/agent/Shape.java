package whittle.agent;

import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/** The parameters and the size of a method. */
final class Shape {
    private final int access;
    private final Type[] parameters;
    /** The number of local variable slots. */
    final int locals;
    final ClassShape owner;

    Shape(int access, String descriptor, int locals, ClassShape owner) {
        this.access = access;
        this.parameters = Type.getArgumentTypes(descriptor);
        this.locals = locals;
        this.owner = owner;
    }

    boolean hasThis() {
        return (access & Opcodes.ACC_STATIC) == 0;
    }

    Type parameter(int number) {
        return parameters[number];
    }

    /** The slot of a parameter, counted from 0. */
    int slot(int parameter) {
        int slot = hasThis() ? 1 : 0;
        for (int before = 0; before < parameter; before++) {
            slot += parameters[before].getSize();
        }
        return slot;
    }
}
