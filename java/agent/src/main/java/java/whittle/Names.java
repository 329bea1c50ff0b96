package java.whittle;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Names as bytes of a mark. */
final class Names {
    static final int LONGEST = 128;

    private Names() {
    }

    /** The name in UTF-8, with at most 128 bytes. A character that does not fit is left out. */
    static byte[] bytes(String name) {
        String start = name.length() > LONGEST ? name.substring(0, LONGEST) : name;
        byte[] bytes = start.getBytes(StandardCharsets.UTF_8);
        if (bytes.length <= LONGEST) {
            return bytes;
        }
        int length = LONGEST;
        while (isContinuation(bytes[length])) {
            length--;
        }
        return Arrays.copyOf(bytes, length);
    }

    private static boolean isContinuation(byte unit) {
        return (unit & 0xC0) == 0x80;
    }

    /** "GET /orders/17": without query, fragment, and the address of the server. */
    static byte[] request(Object method, Object target) {
        return bytes(method + " " + path(String.valueOf(target)));
    }

    private static String path(String target) {
        int begin = 0;
        int scheme = target.indexOf("://");
        if (scheme > 0 && scheme < 8) {
            int slash = target.indexOf('/', scheme + 3);
            begin = slash < 0 ? target.length() : slash;
        }
        int end = begin;
        while (end < target.length() && "?#;".indexOf(target.charAt(end)) < 0) {
            end++;
        }
        return begin == end ? "/" : target.substring(begin, end);
    }

    /** The class's name, without what differs from run to run in the names of lambdas. */
    static byte[] ofClass(Class<?> type) {
        String name = type.getName();
        int lambda = name.indexOf("$$Lambda");
        return bytes(lambda < 0 ? name : name.substring(0, lambda) + "$$Lambda");
    }
}
