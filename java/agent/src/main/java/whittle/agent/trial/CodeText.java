package whittle.agent.trial;

import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.Map;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** The instructions of a method as a text, to compare two files of a class whose constants can have another order. */
final class CodeText extends MethodVisitor {
    private final StringBuilder text = new StringBuilder();
    private final Map<Label, Integer> labels = new IdentityHashMap<>();

    private CodeText() {
        super(Opcodes.ASM9);
    }

    /** Null: the class has no such method. */
    static String of(byte[] file, String method, String descriptor) {
        CodeText[] found = new CodeText[1];
        new ClassReader(file).accept(new ClassVisitor(Opcodes.ASM9) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String type, String signature, String[] exceptions) {
                if (!name.equals(method) || !type.equals(descriptor)) {
                    return null;
                }
                found[0] = new CodeText();
                return found[0];
            }
        }, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        return found[0] == null ? null : found[0].text.toString();
    }

    private void add(Object... words) {
        text.append(Arrays.toString(words)).append('\n');
    }

    /** Labels have numbers in the order in which they are first mentioned. */
    private String name(Label label) {
        Integer number = labels.get(label);
        if (number == null) {
            number = labels.size();
            labels.put(label, number);
        }
        return "L" + number;
    }

    private String[] names(Label... all) {
        String[] names = new String[all.length];
        for (int index = 0; index < all.length; index++) {
            names[index] = name(all[index]);
        }
        return names;
    }

    @Override
    public void visitInsn(int opcode) {
        add(opcode);
    }

    @Override
    public void visitIntInsn(int opcode, int operand) {
        add(opcode, operand);
    }

    @Override
    public void visitVarInsn(int opcode, int local) {
        add(opcode, local);
    }

    @Override
    public void visitTypeInsn(int opcode, String type) {
        add(opcode, type);
    }

    @Override
    public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
        add(opcode, owner, name, descriptor);
    }

    @Override
    public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
        add(opcode, owner, name, descriptor, isInterface);
    }

    @Override
    public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
        add("dynamic", name, descriptor, bootstrap, Arrays.toString(arguments));
    }

    @Override
    public void visitJumpInsn(int opcode, Label label) {
        add(opcode, name(label));
    }

    @Override
    public void visitLabel(Label label) {
        add("label", name(label));
    }

    @Override
    public void visitLdcInsn(Object value) {
        add("constant", value.getClass().getName(), value);
    }

    @Override
    public void visitIincInsn(int local, int increment) {
        add("increment", local, increment);
    }

    @Override
    public void visitTableSwitchInsn(int min, int max, Label other, Label... cases) {
        add("table", min, max, name(other), Arrays.toString(names(cases)));
    }

    @Override
    public void visitLookupSwitchInsn(Label other, int[] keys, Label[] cases) {
        add("look-up", Arrays.toString(keys), name(other), Arrays.toString(names(cases)));
    }

    @Override
    public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
        add("arrays", descriptor, dimensions);
    }

    @Override
    public void visitTryCatchBlock(Label start, Label end, Label handler, String type) {
        add("try", name(start), name(end), name(handler), type);
    }
}
