package whittle.agent.trial;

import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LookupSwitchInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TableSwitchInsnNode;
import org.objectweb.asm.tree.analysis.AnalyzerException;
import org.objectweb.asm.tree.analysis.Frame;

/**
 * The fields that are equal in two different objects whenever their method `equals` says that the objects are equal. A hash code that
 * depends only on such fields is right. Follows all ways through the method, and keeps what all ways to the result `true` have found.
 */
final class EqualFields {
    /** More instructions on all ways together take too long. */
    private static final int MAX_STEPS = 50_000;

    private final MethodNode method;
    private final Comparing comparing;
    /** Null: no way to the result `true` was found yet. */
    private Set<String> fields;
    private int stepsCount;

    private EqualFields(String owner, MethodNode method) {
        this.method = method;
        this.comparing = new Comparing(owner);
    }

    /** The method is `equals(Object)` of this class. */
    static Set<String> of(String owner, MethodNode method) throws Refused, AnalyzerException {
        if (!method.tryCatchBlocks.isEmpty()) {
            throw new Refused("the method equals catches exceptions");
        }
        EqualFields search = new EqualFields(owner, method);
        Frame<Compared> frame = new Frame<>(method.maxLocals, method.maxStack);
        for (int slot = 0; slot < method.maxLocals; slot++) {
            frame.setLocal(slot, slot == 0 ? Compared.THIS : slot == 1 ? Compared.OTHER : Compared.UNKNOWN);
        }
        search.follow(method.instructions.getFirst(), frame, Collections.<String>emptySet());
        return search.fields == null ? Collections.<String>emptySet() : search.fields;
    }

    /** Follows one way. The frame belongs to this way. */
    private void follow(AbstractInsnNode from, Frame<Compared> frame, Set<String> equal) throws Refused, AnalyzerException {
        AbstractInsnNode node = from;
        while (node != null) {
            int opcode = node.getOpcode();
            if (++stepsCount > MAX_STEPS) {
                throw new Refused("the method equals has too many ways");
            }
            if (opcode == Opcodes.IRETURN) {
                end(top(frame, 0), equal);
                return;
            }
            if (opcode == Opcodes.ATHROW) {
                return;
            }
            if (opcode == Opcodes.JSR || opcode == Opcodes.RET) {
                throw new Refused("the method equals is compiled for a very old JVM");
            }
            if (opcode == Opcodes.TABLESWITCH || opcode == Opcodes.LOOKUPSWITCH) {
                followCases(node, frame, equal);
                return;
            }
            if (node instanceof JumpInsnNode && opcode != Opcodes.GOTO) {
                branch((JumpInsnNode) node, frame, equal);
                return;
            }
            if (opcode >= 0 && opcode != Opcodes.GOTO) {
                frame.execute(node, comparing);
            }
            node = opcode == Opcodes.GOTO ? forward(node, ((JumpInsnNode) node).label) : node.getNext();
        }
    }

    /** A way through the method is as long as the method at most. */
    private AbstractInsnNode forward(AbstractInsnNode from, AbstractInsnNode target) throws Refused {
        if (method.instructions.indexOf(target) <= method.instructions.indexOf(from)) {
            throw new Refused("the method equals has a loop");
        }
        return target;
    }

    private void followCases(AbstractInsnNode node, Frame<Compared> frame, Set<String> equal) throws Refused, AnalyzerException {
        frame.execute(node, comparing);
        Set<AbstractInsnNode> targets = new HashSet<>();
        if (node instanceof TableSwitchInsnNode) {
            targets.addAll(((TableSwitchInsnNode) node).labels);
            targets.add(((TableSwitchInsnNode) node).dflt);
        } else {
            targets.addAll(((LookupSwitchInsnNode) node).labels);
            targets.add(((LookupSwitchInsnNode) node).dflt);
        }
        for (AbstractInsnNode target : targets) {
            follow(forward(node, target), new Frame<>(frame), equal);
        }
    }

    private void branch(JumpInsnNode jump, Frame<Compared> frame, Set<String> equal) throws Refused, AnalyzerException {
        Condition condition = new Condition(jump.getOpcode(), frame);
        frame.execute(jump, comparing);
        for (boolean isTaken : new boolean[] {false, true}) {
            if (condition.isPossible(isTaken)) {
                AbstractInsnNode next = isTaken ? forward(jump, jump.label) : jump.getNext();
                follow(next, new Frame<>(frame), condition.learn(isTaken, equal));
            }
        }
    }

    private void end(Compared result, Set<String> equal) {
        if (result.kind != Compared.Kind.ZERO) {
            Set<String> found = result.kind == Compared.Kind.IS_EQUAL ? with(equal, result.field) : equal;
            if (fields == null) {
                fields = new TreeSet<>(found);
            } else {
                fields.retainAll(found);
            }
        }
    }

    private static Set<String> with(Set<String> equal, String field) {
        Set<String> more = new HashSet<>(equal);
        more.add(field);
        return more;
    }

    private static Compared top(Frame<Compared> frame, int below) {
        return frame.getStack(frame.getStackSize() - 1 - below);
    }

    /** What a conditional jump shows. */
    private static final class Condition {
        /** Equal in both objects on one of the ways. Null: the jump compares no field. */
        final String field;
        /** The field is equal if the jump is taken. Otherwise it is equal if the jump is not taken. */
        private final boolean isEqualIfTaken;
        /** The jump is taken in any case, or never. Null: both are possible. */
        private final Boolean isAlways;
        /** The value that can be null. Null: the jump does not ask for this. */
        private final Compared tested;
        private final boolean isIfNull;

        Condition(int opcode, Frame<Compared> frame) {
            Compared value = top(frame, 0);
            isIfNull = opcode == Opcodes.IFNULL;
            tested = isIfNull || opcode == Opcodes.IFNONNULL ? value : null;
            boolean isEq = opcode == Opcodes.IFEQ;
            if (isEq || opcode == Opcodes.IFNE) {
                boolean isComparison = value.kind == Compared.Kind.IS_EQUAL || value.kind == Compared.Kind.ORDER;
                field = isComparison ? value.field : null;
                isEqualIfTaken = isEq == (value.kind == Compared.Kind.ORDER);
                boolean isConstant = value.kind == Compared.Kind.ZERO || value.kind == Compared.Kind.ONE;
                isAlways = isConstant ? Boolean.valueOf(isEq == (value.kind == Compared.Kind.ZERO)) : null;
                return;
            }
            boolean ifEqual = opcode == Opcodes.IF_ICMPEQ || opcode == Opcodes.IF_ACMPEQ;
            boolean isPair = ifEqual || opcode == Opcodes.IF_ICMPNE || opcode == Opcodes.IF_ACMPNE;
            field = isPair ? Compared.sameField(top(frame, 1), value) : null;
            isEqualIfTaken = ifEqual;
            // Two equal hash codes of one object need no proof, so the way with one object ends.
            isAlways = isPair && Compared.isBoth(top(frame, 1), value) ? Boolean.valueOf(!ifEqual) : null;
        }

        boolean isPossible(boolean isTaken) {
            return isAlways == null || isAlways == isTaken;
        }

        /** What is known on one of the ways. */
        Set<String> learn(boolean isTaken, Set<String> equal) {
            if (field != null && isEqualIfTaken == isTaken) {
                return with(equal, field);
            }
            boolean isNull = tested != null && tested.isField() && isIfNull == isTaken;
            if (!isNull) {
                return equal;
            }
            // A field that is missing in both objects is equal.
            return equal.contains(tested.missingInOther()) ? with(equal, tested.field) : with(equal, tested.missing());
        }
    }
}
