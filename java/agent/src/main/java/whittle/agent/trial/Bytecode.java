package whittle.agent.trial;

import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.Opcodes;

/** Where the instructions of a method begin. The library that reads class files does not tell this. */
public final class Bytecode {
    /** Bytes of each instruction, by opcode, from 0 to 201. 0: the length depends on the operands. */
    private static final String LENGTHS = ones(16) + "23233" + "22222" + ones(28) + "22222" + ones(73) + "3" + ones(20)
        + "3333333333333333" + "2" + "00" + ones(6) + "3333333" + "55" + "323" + "11" + "33" + "11" + "0" + "4" + "33" + "55";

    private static final int WIDE = 196;

    private Bytecode() {
    }

    private static String ones(int count) {
        StringBuilder text = new StringBuilder();
        for (int index = 0; index < count; index++) {
            text.append('1');
        }
        return text.toString();
    }

    /** The byte code indices of the instructions of a method, and the size of its code at the end. Empty: the method has no code. */
    public static List<Integer> starts(byte[] file, String method, String descriptor) {
        ClassReader reader = new ClassReader(file);
        char[] buffer = new char[reader.getMaxStringLength()];
        int at = skipMembers(reader, fields(reader));
        int count = reader.readUnsignedShort(at);
        at += 2;
        for (; count > 0; count--) {
            boolean isFound = method.equals(reader.readUTF8(at + 2, buffer)) && descriptor.equals(reader.readUTF8(at + 4, buffer));
            int code = isFound ? code(reader, at, buffer) : 0;
            if (code > 0) {
                return starts(reader, code);
            }
            at = skipMember(reader, at);
        }
        return new ArrayList<>();
    }

    /** The number of fields is after the interfaces. */
    private static int fields(ClassReader reader) {
        int interfaces = reader.header + 6;
        return interfaces + 2 + 2 * reader.readUnsignedShort(interfaces);
    }

    private static int skipMembers(ClassReader reader, int from) {
        int at = from + 2;
        for (int count = reader.readUnsignedShort(from); count > 0; count--) {
            at = skipMember(reader, at);
        }
        return at;
    }

    private static int skipMember(ClassReader reader, int from) {
        int at = from + 8;
        for (int count = reader.readUnsignedShort(from + 6); count > 0; count--) {
            at += 6 + reader.readInt(at + 2);
        }
        return at;
    }

    /** The offset of the attribute with the code, or 0. */
    private static int code(ClassReader reader, int member, char... buffer) {
        int at = member + 8;
        for (int count = reader.readUnsignedShort(member + 6); count > 0; count--) {
            if ("Code".equals(reader.readUTF8(at, buffer))) {
                return at;
            }
            at += 6 + reader.readInt(at + 2);
        }
        return 0;
    }

    private static List<Integer> starts(ClassReader reader, int attribute) {
        int size = reader.readInt(attribute + 10);
        int first = attribute + 14;
        List<Integer> starts = new ArrayList<>();
        int index = 0;
        while (index < size) {
            starts.add(index);
            index += length(reader, first, index);
        }
        starts.add(size);
        return starts;
    }

    private static int length(ClassReader reader, int first, int index) {
        int at = first + index;
        int opcode = reader.readByte(at);
        int aligned = first + (index + 4 & ~3);
        switch (opcode) {
            case Opcodes.TABLESWITCH:
                return aligned - at + 12 + 4 * (reader.readInt(aligned + 8) - reader.readInt(aligned + 4) + 1);
            case Opcodes.LOOKUPSWITCH:
                return aligned - at + 8 + 8 * reader.readInt(aligned + 4);
            case WIDE:
                return reader.readByte(at + 1) == Opcodes.IINC ? 6 : 4;
            default:
                return LENGTHS.charAt(opcode) - '0';
        }
    }
}
