package wrong;

import java.lang.ref.WeakReference;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.Provider;
import java.security.Security;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.zip.Deflater;

/** Against `compile-once`, `look-up-once`, `fastest-level`, `no-gc`, `rarer-force` and `unsynchronized`. */
final class Calls {
    private Calls() {
    }

    static void addTo(Map<String, Supplier<Case>> cases) {
        cases.put("patterns-compared", ComparedPatterns::new);
        cases.put("provider-that-is-removed", RemovedProvider::new);
        cases.put("compressed-size-is-printed", CompressedSize::new);
        cases.put("references-must-be-cleared", Cleared::new);
        cases.put("force-of-a-closed-file", ClosedFile::new);
        cases.put("buffer-that-is-asked-for-its-class", AskedBuffer::new);
    }

    /** Asks whether two patterns are one object. */
    static final class ComparedPatterns implements Case {
        @Override
        public String round() {
            int others = 0;
            Pattern last = null;
            for (int call = 0; call < 500; call++) {
                Pattern pattern = made();
                others += pattern == last ? 0 : 1;
                last = pattern;
            }
            return others + " patterns";
        }

        private static Pattern made() {
            return Pattern.compile("[a-z]+(-[a-z]+)*@([a-z]+\\.)+(com|org|net)");
        }
    }

    /** A provider whose digests come first as long as it is there. */
    private static final class OwnProvider extends Provider {
        private static final long serialVersionUID = 1;

        OwnProvider() {
            super("Own", "1", "a digest");
            put("MessageDigest.SHA-256", OwnDigest.class.getName());
        }
    }

    /** A digest that always gives the same. */
    public static final class OwnDigest extends java.security.MessageDigestSpi implements Cloneable {
        @Override
        protected void engineUpdate(byte input) {
            // All digests are equal.
        }

        @Override
        protected void engineUpdate(byte[] input, int offset, int length) {
            // All digests are equal.
        }

        @Override
        protected byte[] engineDigest() {
            return new byte[32];
        }

        @Override
        protected void engineReset() {
            // There is no state.
        }
    }

    /** The provider changes from round to round. */
    static final class RemovedProvider implements Case {
        private int round;

        @Override
        public String round() throws Exception {
            if (round++ % 2 == 1) {
                Security.insertProviderAt(new OwnProvider(), 1);
            }
            int first = 0;
            for (int call = 0; call < 1000; call++) {
                first = digest()[0];
            }
            Security.removeProvider("Own");
            return "first byte " + first;
        }

        private static byte[] digest() throws Exception {
            return MessageDigest.getInstance("SHA-256").digest();
        }
    }

    /** Prints how well it compresses. */
    static final class CompressedSize implements Case {
        private final byte[] text = new byte[1 << 16];

        CompressedSize() {
            java.util.Random random = new java.util.Random(1);
            for (int index = 0; index < text.length; index++) {
                text[index] = (byte) ("etaoinshrdlu".charAt(random.nextInt(12) & random.nextInt(12)));
            }
        }

        @Override
        public String round() {
            Deflater deflater = new Deflater(6);
            deflater.setInput(text);
            deflater.finish();
            int size = deflater.deflate(new byte[1 << 17]);
            deflater.end();
            return size + " bytes";
        }
    }

    /** Waits until the collector has cleared a reference. */
    static final class Cleared implements Case {
        @Override
        public String round() {
            WeakReference<Object> reference = new WeakReference<>(new Object());
            collect();
            return "cleared: " + (reference.get() == null);
        }

        private static void collect() {
            System.gc();
        }
    }

    /** Learns from `force` that the file is closed. */
    static final class ClosedFile implements Case {
        @Override
        public String round() throws Exception {
            FileChannel channel = FileChannel.open(Path.of("forced"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            String answer = "";
            for (int call = 0; call < 10; call++) {
                channel.position(0);
                channel.write(java.nio.ByteBuffer.wrap(new byte[] {(byte) call}));
                force(channel);
            }
            channel.close();
            try {
                force(channel);
                answer = "still open";
            } catch (ClosedChannelException closed) {
                answer = "closed";
            }
            return answer;
        }

        private static void force(FileChannel channel) throws Exception {
            channel.force(false);
        }
    }

    /** Another method gets the buffer, and asks for its class. */
    static final class AskedBuffer implements Case {
        @Override
        public String round() {
            StringBuffer text = new StringBuffer();
            for (int count = 0; count < 200_000; count++) {
                text.append('x');
            }
            return kind(text) + " with " + text.length() + " characters";
        }

        private static String kind(CharSequence text) {
            return text instanceof StringBuffer ? "buffer" : "other";
        }
    }
}
