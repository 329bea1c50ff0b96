package whittle.agent.trial;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.FieldNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.IntInsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.VarInsnNode;
import org.objectweb.asm.tree.analysis.AnalyzerException;

/**
 * Replaces the whole method `hashCode` by a mix of the fields that are equal in equal objects. Only fields that cannot change are mixed,
 * or numbers that the method has read before, because an object must not change its hash code while it is in a table.
 */
final class MixHash implements Remedy {
    private static final String EQUALS = "(Ljava/lang/Object;)Z";
    /** Where the JVM finds the methods of records. */
    private static final String RECORDS = "java/lang/runtime/ObjectMethods";
    /** An odd number close to 2^32 divided by the golden ratio: each bit of a field changes many bits of the product. */
    private static final int FACTOR = 0x9E3779B1;
    private static final int SHIFT = 15;
    /** Objects of these classes never change. Enums are not among them: their hash codes differ from run to run. */
    private static final Set<String> UNCHANGING = new HashSet<>(Arrays.asList("Ljava/lang/String;", "Ljava/lang/Integer;",
        "Ljava/lang/Long;", "Ljava/lang/Short;", "Ljava/lang/Byte;", "Ljava/lang/Character;", "Ljava/lang/Boolean;", "Ljava/lang/Double;",
        "Ljava/lang/Float;", "Ljava/math/BigInteger;", "Ljava/math/BigDecimal;", "Ljava/util/UUID;", "Ljava/util/Locale;",
        "Ljava/time/Instant;", "Ljava/time/LocalDate;", "Ljava/time/LocalTime;", "Ljava/time/LocalDateTime;", "Ljava/time/Duration;"));

    @Override
    public void apply(Spot spot) throws Refused, AnalyzerException {
        MethodNode method = spot.method;
        if (!spot.place.isIn("hashCode", "()I") || (method.access & Opcodes.ACC_STATIC) != 0) {
            throw new Refused("the place is in another method than hashCode");
        }
        List<FieldNode> mixed = fields(spot.owner(), method);
        if (mixed.isEmpty()) {
            throw new Refused("whittle does not know which unchanging fields equals compares");
        }
        InsnList code = spot.callOurs("Places.count", "(I)V");
        code.add(new InsnNode(Opcodes.ICONST_0));
        for (FieldNode field : mixed) {
            add(code, spot.className, field);
        }
        code.add(new InsnNode(Opcodes.IRETURN));
        method.instructions.clear();
        method.tryCatchBlocks.clear();
        method.localVariables = null;
        spot.append(code);
    }

    /** The fields to mix. */
    private static List<FieldNode> fields(ClassNode owner, MethodNode method) throws Refused, AnalyzerException {
        Set<String> read = new HashSet<>();
        for (AbstractInsnNode node : method.instructions) {
            if (node.getOpcode() == Opcodes.PUTFIELD || node.getOpcode() == Opcodes.PUTSTATIC) {
                throw new Refused("the method hashCode also stores something");
            }
            if (node.getOpcode() == Opcodes.GETFIELD && ((FieldInsnNode) node).owner.equals(owner.name)) {
                read.add(((FieldInsnNode) node).name);
            }
        }
        MethodNode equals = equals(owner);
        boolean isOfRecord = isOfRecord(equals);
        Set<String> equal = isOfRecord ? null : EqualFields.of(owner.name, equals);
        List<FieldNode> mixed = new ArrayList<>();
        for (FieldNode field : owner.fields) {
            boolean isCompared = isOfRecord || equal.contains(field.name);
            if (isCompared && (field.access & Opcodes.ACC_STATIC) == 0 && isSteady(field, read)) {
                mixed.add(field);
            }
        }
        return mixed;
    }

    private static boolean isSteady(FieldNode field, Set<String> read) {
        boolean isNumber = field.desc.length() == 1;
        boolean isFinal = (field.access & Opcodes.ACC_FINAL) != 0;
        return isNumber ? isFinal || read.contains(field.name) : isFinal && UNCHANGING.contains(field.desc);
    }

    private static MethodNode equals(ClassNode owner) throws Refused {
        for (MethodNode method : owner.methods) {
            if (method.name.equals("equals") && method.desc.equals(EQUALS) && method.instructions.size() > 0) {
                return method;
            }
        }
        throw new Refused("the class has no method equals of its own");
    }

    /** The JVM compares all fields of a record. */
    private static boolean isOfRecord(MethodNode equals) {
        for (AbstractInsnNode node : equals.instructions) {
            if (node instanceof InvokeDynamicInsnNode) {
                Handle bootstrap = ((InvokeDynamicInsnNode) node).bsm;
                return bootstrap.getOwner().equals(RECORDS);
            }
        }
        return false;
    }

    /** Adds the field to the hash code on the stack, and mixes the sum. */
    private static void add(InsnList code, String owner, FieldNode field) {
        code.add(new VarInsnNode(Opcodes.ALOAD, 0));
        code.add(new FieldInsnNode(Opcodes.GETFIELD, owner, field.name, field.desc));
        addHash(code, field.desc);
        code.add(new InsnNode(Opcodes.IADD));
        code.add(new LdcInsnNode(FACTOR));
        code.add(new InsnNode(Opcodes.IMUL));
        code.add(new InsnNode(Opcodes.DUP));
        code.add(new IntInsnNode(Opcodes.BIPUSH, SHIFT));
        code.add(new InsnNode(Opcodes.IUSHR));
        code.add(new InsnNode(Opcodes.IXOR));
    }

    private static void addHash(InsnList code, String type) {
        switch (Type.getType(type).getSort()) {
            case Type.LONG:
                code.add(new MethodInsnNode(Opcodes.INVOKESTATIC, "java/lang/Long", "hashCode", "(J)I", false));
                return;
            case Type.DOUBLE:
                code.add(new MethodInsnNode(Opcodes.INVOKESTATIC, "java/lang/Double", "hashCode", "(D)I", false));
                return;
            case Type.FLOAT:
                code.add(new MethodInsnNode(Opcodes.INVOKESTATIC, "java/lang/Float", "hashCode", "(F)I", false));
                return;
            case Type.OBJECT:
                code.add(new MethodInsnNode(Opcodes.INVOKESTATIC, "java/util/Objects", "hashCode", "(Ljava/lang/Object;)I", false));
                return;
            default:
                // Numbers of 32 bits and less are their own hash codes.
        }
    }
}
