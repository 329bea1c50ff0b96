package wrong;

import java.lang.reflect.Field;
import java.net.URI;
import java.security.SecureRandom;
import java.text.MessageFormat;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathFactory;
import javax.xml.xpath.XPathFunctionResolver;
import javax.xml.xpath.XPathVariableResolver;

/** Against `look-up-once`, `member-once`, `result-once`, `one-for-all` and `one-per-thread`. */
final class LookUps {
    private static final int CALLS_COUNT = 100;

    private LookUps() {
    }

    static void addTo(Map<String, Supplier<Case>> cases) {
        cases.put("message-when-the-language-changes", ChangingMessage::new);
        cases.put("factory-that-a-property-names", NamedFactory::new);
        cases.put("member-made-accessible", Accessible::new);
        cases.put("results-compared", ComparedResults::new);
        cases.put("random-numbers-from-a-seed", Seeded::new);
        cases.put("two-uses-at-a-time", TwoUses::new);
    }

    /** The default language changes between two messages with the same pattern. */
    static final class ChangingMessage implements Case {
        @Override
        public String round() {
            Locale old = Locale.getDefault();
            String shown = "";
            for (Locale locale : new Locale[] {Locale.US, Locale.GERMANY}) {
                Locale.setDefault(locale);
                int hash = 0;
                for (int number = 0; number < CALLS_COUNT; number++) {
                    hash = 31 * hash + message(number).hashCode();
                }
                shown += message(12345) + " " + hash + " ";
            }
            Locale.setDefault(old);
            return shown.trim();
        }

        private static String message(int number) {
            return MessageFormat.format("{0,number} of {1,number,integer}", number / 8.0, number * 10);
        }
    }

    /** A factory that a property can name. */
    public static final class OwnPaths extends XPathFactory {
        @Override
        public boolean isObjectModelSupported(String model) {
            return true;
        }

        @Override
        public void setFeature(String name, boolean value) {
            // There is none.
        }

        @Override
        public boolean getFeature(String name) {
            return false;
        }

        @Override
        public void setXPathVariableResolver(XPathVariableResolver resolver) {
            // There are no variables.
        }

        @Override
        public void setXPathFunctionResolver(XPathFunctionResolver resolver) {
            // There are no functions.
        }

        @Override
        public XPath newXPath() {
            return null;
        }
    }

    /** The property is there in every other round. */
    static final class NamedFactory implements Case {
        private static final String PROPERTY = XPathFactory.DEFAULT_PROPERTY_NAME + ":" + XPathFactory.DEFAULT_OBJECT_MODEL_URI;
        private int round;

        @Override
        public String round() {
            if (round++ % 2 == 1) {
                System.setProperty(PROPERTY, OwnPaths.class.getName());
            }
            XPathFactory factory = null;
            for (int call = 0; call < CALLS_COUNT; call++) {
                factory = factory();
            }
            System.clearProperty(PROPERTY);
            return factory.getClass().getSimpleName();
        }

        private static XPathFactory factory() {
            return XPathFactory.newInstance();
        }
    }

    /** Some of its callers must not read the field. */
    static final class Accessible implements Case {
        @Override
        public String round() throws Exception {
            for (int call = 0; call < 20 * CALLS_COUNT; call++) {
                field(call % 2 == 0);
            }
            try {
                return "everybody can read " + field(false).get(new Secret());
            } catch (IllegalAccessException denied) {
                return "some must not read";
            }
        }

        private static Field field(boolean isTrusted) throws Exception {
            Field field = Secret.class.getDeclaredField("text");
            if (isTrusted) {
                field.setAccessible(true);
            }
            return field;
        }
    }

    /** Asks whether a call has made a new object. */
    static final class ComparedResults implements Case {
        @Override
        public String round() {
            int others = 0;
            URI last = null;
            for (int call = 0; call < 10 * CALLS_COUNT; call++) {
                URI made = made(call / 2);
                others += made == last ? 0 : 1;
                last = made;
            }
            return others + " objects";
        }

        private static URI made(int number) {
            return URI.create("http://service.example:8080/orders/" + number + "?page=1&size=20#details");
        }
    }

    /** The same seed gives the same numbers. */
    static final class Seeded implements Case {
        @Override
        public String round() throws Exception {
            int sum = 0;
            for (int call = 0; call < CALLS_COUNT; call++) {
                sum += number(1 + call % 3);
            }
            return "sum " + sum;
        }

        private static int number(long seed) throws Exception {
            SecureRandom random = SecureRandom.getInstance("SHA1PRNG");
            random.setSeed(seed);
            return random.nextInt();
        }
    }

    /** A thread computes two codes at the same time. */
    static final class TwoUses implements Case {
        @Override
        public String round() throws Exception {
            byte[] code = new byte[0];
            for (int call = 0; call < CALLS_COUNT; call++) {
                Mac first = begun("first");
                Mac second = begun("second");
                second.update((byte) 2);
                first.update((byte) 1);
                code = first.doFinal();
                second.doFinal();
            }
            return Arrays.toString(code);
        }

        private static Mac begun(String key) throws Exception {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key.getBytes(), "HmacSHA256"));
            return mac;
        }
    }
}
