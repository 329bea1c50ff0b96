package whittle.agent;

import org.objectweb.asm.MethodVisitor;

/** A method that the agent changes. */
final class Site {
    final String what;
    final String className;
    final String method;
    /** The descriptor, or the begin of one. */
    final String descriptor;
    final Change change;

    Site(String what, String className, String method, String descriptor, Change change) {
        this.what = what;
        this.className = className;
        this.method = method;
        this.descriptor = descriptor;
        this.change = change;
    }

    /** Makes the visitor that writes the changed method. */
    interface Change {
        Patch patch(MethodVisitor output, Shape shape);
    }

    boolean matches(String name, String methodDescriptor) {
        return name.equals(method) && methodDescriptor.startsWith(descriptor);
    }
}
