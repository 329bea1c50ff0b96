package org.globex.mail;

import com.acme.load.Load;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PushbackReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** Splits mails into header fields. A folded line starts with a space and belongs to the previous field. */
public final class HeaderScan {
    /** Reads characters, with a look-ahead of one character. */
    static final class Lexer {
        private final PushbackReader in;

        Lexer(InputStream mail) {
            this.in = new PushbackReader(decode(mail));
        }

        private static Reader decode(InputStream mail) {
            return new InputStreamReader(mail, StandardCharsets.UTF_8); // [edit]
            // [new] return new java.io.BufferedReader(new InputStreamReader(mail, StandardCharsets.UTF_8));
        }

        int next() throws IOException {
            return in.read(); // [call]
        }

        boolean isFolded() throws IOException {
            int c = in.read(); // [call]
            if (c < 0) return false;
            in.unread(c);
            return c == ' ' || c == '\t';
        }
    }

    static Map<String, String> fields(InputStream mail) throws IOException {
        Lexer lexer = new Lexer(mail);
        Map<String, String> fields = new HashMap<>();
        StringBuilder name = new StringBuilder(), value = new StringBuilder();
        boolean inName = true;
        for (int c; (c = lexer.next()) >= 0; ) {
            if (inName && c == ':') {
                inName = false;
            } else if (c == '\n' && !lexer.isFolded()) {
                fields.put(name.toString(), value.toString());
                name.setLength(0);
                value.setLength(0);
                inName = true;
            } else {
                (inName ? name : value).append((char) c);
            }
        }
        return fields;
    }

    public static void main(String[] arguments) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 400; i++) text.append("X-Trace-").append(i).append(": hop ").append(i).append(" über Köln\n  and on\n");
        byte[] mail = text.toString().getBytes(StandardCharsets.UTF_8);
        Load.onThreads(2, "mailbox", () -> () -> Load.kept = fields(new ByteArrayInputStream(mail)));
    }
}
