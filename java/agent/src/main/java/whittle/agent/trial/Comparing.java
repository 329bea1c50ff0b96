package whittle.agent.trial;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.analysis.AnalyzerException;
import org.objectweb.asm.tree.analysis.BasicInterpreter;
import org.objectweb.asm.tree.analysis.BasicValue;
import org.objectweb.asm.tree.analysis.Interpreter;

/** Executes single instructions of the method `equals`, and knows which values are fields of both objects. */
final class Comparing extends Interpreter<Compared> {
    /** Results of these are true only for equal arguments. */
    private static final Set<String> EQUAL = new HashSet<>(Arrays.asList(
        "java/util/Objects.equals(Ljava/lang/Object;Ljava/lang/Object;)Z",
        "kotlin/jvm/internal/Intrinsics.areEqual(Ljava/lang/Object;Ljava/lang/Object;)Z"));
    private static final Set<String> COMPARING = new HashSet<>(Arrays.asList("java/lang/Byte", "java/lang/Short", "java/lang/Character",
        "java/lang/Integer", "java/lang/Long", "java/lang/Float", "java/lang/Double", "java/lang/Boolean"));

    private final String owner;
    /** Knows the sizes of results. */
    private final BasicInterpreter results = new BasicInterpreter();

    Comparing(String owner) {
        super(Opcodes.ASM9);
        this.owner = owner;
    }

    private static Compared sizeOf(BasicValue result) {
        return result == null ? null : Compared.unknown(result.getSize());
    }

    @Override
    public Compared newValue(Type type) {
        if (type == null) {
            return Compared.UNKNOWN;
        }
        return type == Type.VOID_TYPE ? null : Compared.unknown(type.getSize());
    }

    @Override
    public Compared newOperation(AbstractInsnNode node) throws AnalyzerException {
        if (node.getOpcode() == Opcodes.ICONST_0 || node.getOpcode() == Opcodes.ICONST_1) {
            return node.getOpcode() == Opcodes.ICONST_0 ? Compared.ZERO : Compared.ONE;
        }
        return sizeOf(results.newOperation(node));
    }

    @Override
    public Compared copyOperation(AbstractInsnNode node, Compared value) {
        return value;
    }

    @Override
    public Compared unaryOperation(AbstractInsnNode node, Compared value) throws AnalyzerException {
        if (node.getOpcode() == Opcodes.CHECKCAST) {
            return value;
        }
        Compared usual = sizeOf(results.unaryOperation(node, null));
        boolean isOwn = node.getOpcode() == Opcodes.GETFIELD && ((FieldInsnNode) node).owner.equals(owner);
        return isOwn ? value.get(((FieldInsnNode) node).name, usual.getSize()) : usual;
    }

    @Override
    public Compared binaryOperation(AbstractInsnNode node, Compared first, Compared second) throws AnalyzerException {
        String field = node.getOpcode() == Opcodes.LCMP ? Compared.sameField(first, second) : null;
        return field == null ? sizeOf(results.binaryOperation(node, null, null)) : Compared.order(field);
    }

    @Override
    public Compared ternaryOperation(AbstractInsnNode node, Compared first, Compared second, Compared third) {
        return null;
    }

    @Override
    public Compared naryOperation(AbstractInsnNode node, List<? extends Compared> values) throws AnalyzerException {
        String field = node instanceof MethodInsnNode && values.size() == 2 ? Compared.sameField(values.get(0), values.get(1)) : null;
        if (field != null) {
            MethodInsnNode call = (MethodInsnNode) node;
            boolean isOfObject = call.getOpcode() != Opcodes.INVOKESTATIC && call.name.equals("equals")
                && call.desc.equals("(Ljava/lang/Object;)Z");
            if (isOfObject || EQUAL.contains(call.owner + "." + call.name + call.desc)) {
                return Compared.isEqual(field);
            }
            if (call.getOpcode() == Opcodes.INVOKESTATIC && call.name.equals("compare") && COMPARING.contains(call.owner)) {
                return Compared.order(field);
            }
        }
        return sizeOf(results.naryOperation(node, null));
    }

    @Override
    public void returnOperation(AbstractInsnNode node, Compared value, Compared expected) {
        // The result is read before this instruction.
    }

    @Override
    public Compared merge(Compared first, Compared second) {
        throw new IllegalStateException("each way through the method is followed on its own");
    }
}
