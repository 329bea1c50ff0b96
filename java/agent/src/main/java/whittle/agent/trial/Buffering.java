package whittle.agent.trial;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.analysis.AnalyzerException;

/** Wraps a new stream, or the stream that a call returns, with a buffer. */
final class Buffering implements Remedy {
    static final Buffering OUTPUT = new Buffering("Buffers.output", "java/io/OutputStream",
        Collections.singletonList("java/io/FileOutputStream"),
        Arrays.asList("java/io/Closeable", "java/io/Flushable", "java/lang/AutoCloseable"),
        Arrays.asList("write(I)V", "write([B)V", "write([BII)V", "flush()V", "close()V"),
        Collections.singletonList("java/nio/file/Files.newOutputStream"));
    static final Buffering COMPRESSION = new Buffering("Buffers.output", "java/io/OutputStream",
        Arrays.asList("java/util/zip/GZIPOutputStream", "java/util/zip/DeflaterOutputStream"),
        Arrays.asList("java/io/Closeable", "java/io/Flushable", "java/lang/AutoCloseable"),
        Arrays.asList("write(I)V", "write([B)V", "write([BII)V", "flush()V", "close()V"), Collections.<String>emptyList());
    static final Buffering INPUT = new Buffering("Buffers.input", "java/io/InputStream",
        Collections.singletonList("java/io/FileInputStream"),
        Arrays.asList("java/io/Closeable", "java/lang/AutoCloseable"),
        Arrays.asList("read()I", "read([B)I", "read([BII)I", "available()I", "close()V", "readAllBytes()[B", "readNBytes(I)[B",
            "readNBytes([BII)I", "transferTo(Ljava/io/OutputStream;)J"),
        Collections.singletonList("java/nio/file/Files.newInputStream"));
    static final Buffering WRITER = new Buffering("Buffers.writer", "java/io/Writer",
        Arrays.asList("java/io/FileWriter", "java/io/OutputStreamWriter"),
        Arrays.asList("java/io/Closeable", "java/io/Flushable", "java/lang/AutoCloseable", "java/lang/Appendable"),
        Arrays.asList("write(I)V", "write([C)V", "write([CII)V", "write(Ljava/lang/String;)V", "write(Ljava/lang/String;II)V",
            "append(C)Ljava/io/Writer;", "append(Ljava/lang/CharSequence;)Ljava/io/Writer;", "flush()V", "close()V"),
        Collections.<String>emptyList());
    static final Buffering READER = new Buffering("Buffers.reader", "java/io/Reader",
        Arrays.asList("java/io/FileReader", "java/io/InputStreamReader"),
        Arrays.asList("java/io/Closeable", "java/lang/AutoCloseable", "java/lang/Readable"),
        Arrays.asList("read()I", "read([C)I", "read([CII)I", "ready()Z", "close()V"), Collections.<String>emptyList());

    private final String wrap;
    private final String wide;
    private final List<String> created;
    private final List<String> calls;
    private final Wider wider;

    private Buffering(String wrap, String wide, List<String> created, List<String> parents, List<String> methods, List<String> calls) {
        this.wrap = wrap;
        this.wide = wide;
        this.created = created;
        this.calls = calls;
        this.wider = new Wider(created, wide, false, parents, methods);
    }

    @Override
    public void apply(Spot spot) throws Refused, AnalyzerException {
        boolean isNew = spot.instruction.getOpcode() == Opcodes.NEW;
        if (isNew && !created.contains(spot.created())) {
            throw new Refused("a " + spot.created().replace('/', '.') + " cannot have this buffer");
        }
        MethodInsnNode call = isNew ? null : call(spot);
        Flow flow = Flow.of(spot);
        MethodInsnNode end = isNew ? constructor(flow) : call;
        wider.check(flow, spot.method);
        if (isNew && Wider.isEscaping(flow, spot.method)) {
            // A FileWriter is also an OutputStreamWriter.
            spot.hidden.addAll(created.subList(created.indexOf(spot.created()), created.size()));
        }
        wider.widen(flow);
        spot.insertAfter(end, spot.callOurs(wrap, "(L" + wide + ";I)L" + wide + ";"));
    }

    private static MethodInsnNode constructor(Flow flow) throws Refused {
        MethodInsnNode constructor = flow.usualConstructor();
        if (constructor.desc.contains("Ljava/io/FileDescriptor;")) {
            throw new Refused("another stream can use the same file descriptor");
        }
        return constructor;
    }

    private MethodInsnNode call(Spot spot) throws Refused {
        MethodInsnNode call = spot.call();
        if (call.owner.endsWith("Socket")) {
            throw new Refused("another call for the same socket would not see the bytes in the buffer");
        }
        if (call.owner.equals("java/nio/channels/Channels")) {
            throw new Refused("other users of the channel share its position");
        }
        if (!calls.contains(call.owner + "." + call.name)) {
            throw new Refused("whittle knows no buffer for the result of " + call.owner.replace('/', '.') + "." + call.name);
        }
        return call;
    }
}
