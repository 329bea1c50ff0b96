package whittle.tests.trial;

import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.URI;
import java.security.SecureRandom;
import java.security.Signature;
import java.text.Normalizer;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.ResourceBundle;
import java.util.UUID;
import javax.crypto.Cipher;

/** Small programs that look up or create what they could keep. */
final class SharedPrograms {
    private SharedPrograms() {
    }

    static Object member(Class<?> type, String name, Class<?>... parameters) throws Exception {
        return type.getMethod(name, parameters);
    }

    static Object members(Class<?> type) {
        Method[] methods = type.getMethods();
        Method first = methods[0];
        methods[0] = null;
        return first;
    }

    /** This method sees which class calls it. */
    static Object named(String name) throws Exception {
        return Class.forName(name);
    }

    static Object random() {
        return new SecureRandom();
    }

    static Object seeded(byte[] seed) {
        return new SecureRandom(seed);
    }

    static Object address(String name) throws Exception {
        return InetAddress.getByName(name);
    }

    static Object[] addresses(String name) throws Exception {
        return InetAddress.getAllByName(name);
    }

    static Object cipher(String algorithm) throws Exception {
        return Cipher.getInstance(algorithm);
    }

    static Object signature() throws Exception {
        return Signature.getInstance("SHA256withRSA");
    }

    static Object uri(String text) {
        return URI.create(text);
    }

    static Object normalized(CharSequence text) {
        return Normalizer.normalize(text, Normalizer.Form.NFD);
    }

    static Object date(String text, DateTimeFormatter format) {
        return LocalDate.parse(text, format);
    }

    static Object newUri(String text) throws Exception {
        return new URI(text);
    }

    static Object ofBytes(byte[] text) {
        return UUID.nameUUIDFromBytes(text);
    }

    static Object list() {
        return new ArrayList<String>();
    }

    static boolean contains(List<Object> list, Object wanted) {
        return list.contains(wanted);
    }

    static int indexOf(List<Object> list, Object wanted) {
        return list.indexOf(wanted);
    }

    static String format(String format, Object... arguments) {
        return String.format(format, arguments);
    }

    static String formatOf(Locale locale, String format, Object... arguments) {
        return String.format(locale, format, arguments);
    }

    static String formatted(String format, Object... arguments) {
        return format.formatted(arguments);
    }

    static String text(Locale locale) {
        return ResourceBundle.getBundle("whittle.tests.trial.Texts", locale).getString("text");
    }
}
