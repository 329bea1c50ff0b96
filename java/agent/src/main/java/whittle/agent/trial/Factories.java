package whittle.agent.trial;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.VarInsnNode;

/** Static methods that only create a direct buffer and return it. Callers in the same class can create the buffer themselves. */
final class Factories {
    /** The first argument of a place that calls a factory. The capacity is the second argument, if the factory knows it. */
    static final String FACTORY = "factory";
    private static final String RESULT = ")Ljava/nio/ByteBuffer;";

    private final byte[] file;
    private final ClassNode owner = new ClassNode();

    private Factories(byte[] file) {
        this.file = file;
        new ClassReader(file).accept(owner, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
    }

    static boolean isCreation(AbstractInsnNode node) {
        return node.getOpcode() == Opcodes.INVOKESTATIC && ((MethodInsnNode) node).owner.equals("java/nio/ByteBuffer")
            && ((MethodInsnNode) node).name.equals("allocateDirect");
    }

    /** The calls of the factory that the place is in. If the place is in another method, only the place itself. */
    static List<Place> callers(Place place, byte[] file) {
        Factories factories = new Factories(file);
        for (MethodNode method : factories.owner.methods) {
            List<String> arguments = place.isIn(method.name, method.desc) ? arguments(method) : null;
            if (arguments != null) {
                List<Place> calls = factories.calls(place, method, arguments);
                return calls.isEmpty() ? Collections.singletonList(place) : calls;
            }
        }
        return Collections.singletonList(place);
    }

    /** The arguments of places that call this factory. Null: the method is no factory. */
    private static List<String> arguments(MethodNode method) {
        AbstractInsnNode capacity = null;
        AbstractInsnNode creation = null;
        AbstractInsnNode end = null;
        if ((method.access & (Opcodes.ACC_STATIC | Opcodes.ACC_SYNCHRONIZED)) == Opcodes.ACC_STATIC && method.instructions.size() > 0) {
            AbstractInsnNode first = method.instructions.getFirst();
            capacity = first.getOpcode() >= 0 ? first : IntConstant.real(first, true);
            creation = IntConstant.real(capacity, true);
            end = creation == null ? null : IntConstant.real(creation, true);
        }
        if (end == null || end.getOpcode() != Opcodes.ARETURN || !isCreation(creation)) {
            return null;
        }
        if (IntConstant.of(capacity) != null && method.desc.equals("(" + RESULT)) {
            return Arrays.asList(FACTORY, IntConstant.of(capacity).toString());
        }
        boolean isPassedOn = capacity.getOpcode() == Opcodes.ILOAD && ((VarInsnNode) capacity).var == 0 && method.desc.equals("(I" + RESULT);
        return isPassedOn ? Collections.singletonList(FACTORY) : null;
    }

    private List<Place> calls(Place place, MethodNode factory, List<String> arguments) {
        List<Place> calls = new ArrayList<>();
        for (MethodNode method : owner.methods) {
            List<Integer> starts = null;
            int ordinal = 0;
            for (AbstractInsnNode node : method.instructions) {
                if (isCall(node, factory)) {
                    starts = starts == null ? Bytecode.starts(file, method.name, method.desc) : starts;
                    calls.add(place.movedTo(method, starts.get(ordinal), arguments));
                }
                ordinal += node.getOpcode() >= 0 ? 1 : 0;
            }
        }
        return calls;
    }

    private boolean isCall(AbstractInsnNode node, MethodNode factory) {
        if (node.getOpcode() != Opcodes.INVOKESTATIC) {
            return false;
        }
        MethodInsnNode call = (MethodInsnNode) node;
        return call.owner.equals(owner.name) && call.name.equals(factory.name) && call.desc.equals(factory.desc);
    }
}
