package whittle.agent.trial;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;

/**
 * Whether an array, a buffer or a format never leaves its method. Methods of the JDK can get it, if they use it only while they run. This list is
 * the whole knowledge about such methods, so all other methods count as code that keeps the object.
 */
final class Staying {
    /** For arrays of numbers. A star means any class of the package. */
    static final Staying ARRAY = new Staying("array", Collections.singletonList("clone"), Arrays.asList(
        "java/lang/System.arraycopy", "java/util/Arrays.fill", "java/util/Arrays.sort", "java/util/Arrays.copyOf",
        "java/util/Arrays.copyOfRange", "java/util/Arrays.equals", "java/util/Arrays.hashCode", "java/util/Arrays.toString",
        "java/util/Arrays.binarySearch", "java/util/Arrays.mismatch", "java/util/Arrays.compare", "java/lang/String.<init>",
        "java/lang/String.valueOf", "java/lang/String.copyValueOf", "java/lang/String.getChars", "java/lang/String.getBytes",
        "java/lang/StringBuilder.append", "java/lang/StringBuilder.insert", "java/lang/StringBuilder.getChars",
        "java/lang/StringBuffer.append", "java/lang/StringBuffer.insert", "java/lang/StringBuffer.getChars", "java/io/*.read",
        "java/io/*.readFully", "java/io/*.readNBytes", "java/io/*.write", "java/util/zip/*.read", "java/util/zip/*.write",
        "java/util/zip/*.update", "java/util/zip/*.deflate", "java/util/zip/*.inflate", "java/security/*.update",
        "java/security/*.digest", "java/security/*.nextBytes", "java/util/Random.nextBytes", "javax/crypto/*.update",
        "javax/crypto/*.doFinal", "java/nio/*.get", "java/nio/*.put"));

    /** For direct buffers. Asynchronous channels keep their buffer, so they are not in the list. */
    static final Staying BUFFER = new Staying("buffer", Arrays.asList("get", "getChar", "getShort", "getInt", "getLong", "getFloat",
        "getDouble", "put", "putChar", "putShort", "putInt", "putLong", "putFloat", "putDouble", "position", "limit", "capacity", "clear",
        "flip", "rewind", "mark", "reset", "remaining", "hasRemaining", "compact", "order", "isDirect", "isReadOnly", "hasArray", "equals",
        "compareTo", "hashCode", "toString", "slice", "duplicate", "asReadOnlyBuffer", "mismatch"), Arrays.asList(
            "java/nio/channels/FileChannel.read", "java/nio/channels/FileChannel.write", "java/nio/channels/SocketChannel.read",
            "java/nio/channels/SocketChannel.write", "java/nio/channels/DatagramChannel.read", "java/nio/channels/DatagramChannel.write",
            "java/nio/channels/DatagramChannel.send", "java/nio/channels/DatagramChannel.receive",
            "java/nio/channels/ReadableByteChannel.read", "java/nio/channels/WritableByteChannel.write",
            "java/nio/channels/SeekableByteChannel.read", "java/nio/channels/SeekableByteChannel.write",
            "java/nio/channels/ByteChannel.read", "java/nio/channels/ByteChannel.write", "java/nio/ByteBuffer.put",
            "java/nio/ByteBuffer.equals", "java/nio/ByteBuffer.compareTo", "java/nio/ByteBuffer.mismatch", "java/util/zip/*.update",
            "java/security/*.update", "javax/crypto/*.update", "javax/crypto/*.doFinal", "java/nio/charset/*.encode",
            "java/nio/charset/*.decode"));

    /** For formats, which their own methods do not change. */
    static final Staying FORMAT = new Staying("format", Arrays.asList("format", "parse"), Collections.<String>emptyList());

    private static final String UNFOLLOWED = ")Ljava/nio/Buffer;";

    private final String what;
    /** Methods that can be called on the object. */
    private final Set<String> own;
    /** Methods that can get the object as an argument. */
    private final Set<String> takers;

    private Staying(String what, List<String> own, List<String> takers) {
        this.what = what;
        this.own = new HashSet<>(own);
        this.takers = new HashSet<>(takers);
    }

    /** Refuses if the object can leave the method. */
    void check(Flow flow) throws Refused {
        for (Map.Entry<AbstractInsnNode, Set<Integer>> use : flow.uses().entrySet()) {
            AbstractInsnNode node = use.getKey();
            if (node instanceof MethodInsnNode) {
                checkCall((MethodInsnNode) node, use.getValue());
            } else if (!isInside(node)) {
                throw new Refused("the " + what + " leaves the method");
            }
        }
        if (flow.isAliveAtOrigin()) {
            throw new Refused("the method uses an earlier " + what + " of the same place later");
        }
    }

    private static boolean isInside(AbstractInsnNode node) {
        int opcode = node.getOpcode();
        boolean isRead = opcode >= Opcodes.IALOAD && opcode <= Opcodes.SALOAD;
        return isRead || opcode == Opcodes.ARRAYLENGTH || opcode == Opcodes.IFNULL || opcode == Opcodes.IFNONNULL;
    }

    private void checkCall(MethodInsnNode call, Set<Integer> operands) throws Refused {
        boolean isReceiver = call.getOpcode() != Opcodes.INVOKESTATIC && operands.contains(0);
        boolean isArgument = operands.size() > (isReceiver ? 1 : 0);
        if (isReceiver && !own.contains(call.name) || isArgument && !isTaker(call)) {
            throw new Refused("the " + what + " leaves the method: " + simple(call.owner) + "." + call.name + " gets it");
        }
        AbstractInsnNode next = IntConstant.real(call, true);
        if (isReceiver && call.desc.endsWith(UNFOLLOWED) && (next == null || next.getOpcode() != Opcodes.POP)) {
            throw new Refused("whittle does not follow the result of " + simple(call.owner) + "." + call.name);
        }
    }

    private boolean isTaker(MethodInsnNode call) {
        String inPackage = call.owner.substring(0, call.owner.lastIndexOf('/') + 1) + "*." + call.name;
        return takers.contains(call.owner + "." + call.name) || takers.contains(inPackage);
    }

    private static String simple(String name) {
        return name.substring(name.lastIndexOf('/') + 1);
    }
}
