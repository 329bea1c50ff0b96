package wrong;

import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;

/** Against `fixed-part-first`, `one-builder`, `plain-format` and `text-if-logged`. */
final class Texts {
    private Texts() {
    }

    static void addTo(Map<String, Supplier<Case>> cases) {
        cases.put("text-changes-before-the-search", ChangedText::new);
        cases.put("text-is-a-parameter", Parameter::new);
        cases.put("text-grows-twice-in-a-line", TwiceInLine::new);
        cases.put("format-of-another-language", OtherLanguage::new);
        cases.put("format-when-the-language-changes", ChangingLanguage::new);
        cases.put("log-text-with-an-effect", Effect::new);
        cases.put("log-level-that-changes", ChangingLevel::new);
    }

    /** The text becomes complete after its matcher was created. */
    static final class ChangedText implements Case {
        private static final Pattern MAIL = Pattern.compile("[a-z.]+@[a-z.]+");
        private final String before = "the quick brown fox ".repeat(500);

        @Override
        public String round() {
            StringBuilder text = new StringBuilder(before);
            return "found: " + find(text);
        }

        private static boolean find(StringBuilder text) {
            Matcher matcher = MAIL.matcher(text);
            int end = text.length();
            text.replace(end - 10, end, "ada@b.com.");
            return matcher.find();
        }
    }

    /** The caller's text grows. */
    static final class Parameter implements Case {
        @Override
        public String round() {
            String text = "";
            for (int part = 0; part < 4; part++) {
                text = append(text, part);
            }
            return text.length() + " " + text.hashCode();
        }

        private static String append(String before, int from) {
            for (int number = from; number < from + 400; number++) {
                before += number + ";";
            }
            return before;
        }
    }

    /** A line appends to a text that is already an operand. */
    static final class TwiceInLine implements Case {
        @Override
        public String round() {
            String text = "start ";
            for (int number = 0; number < 2000; number++) {
                text += number % 500 == 0 ? (text += "b") + "c" : "d";
            }
            return text.length() + " " + text.hashCode();
        }
    }

    /** Decimals with a comma, and groups of digits. */
    static final class OtherLanguage implements Case {
        @Override
        public String round() {
            int hash = 0;
            for (int number = 0; number < 300; number++) {
                hash = 31 * hash + decimals(number).hashCode();
            }
            return decimals(12345) + " " + hash;
        }

        private static String decimals(int number) {
            return String.format(Locale.GERMANY, "%.2f EUR", number / 7.0);
        }
    }

    /** The default language changes from round to round. */
    static final class ChangingLanguage implements Case {
        private int round;

        @Override
        public String round() {
            Locale old = Locale.getDefault();
            Locale.setDefault(round++ % 2 == 0 ? Locale.US : Locale.GERMANY);
            int hash = 0;
            for (int number = 0; number < 300; number++) {
                hash = 31 * hash + decimals(number).hashCode();
            }
            String shown = decimals(12345) + " " + hash;
            Locale.setDefault(old);
            return shown;
        }

        private static String decimals(int number) {
            return String.format("%.2f", number / 7.0);
        }
    }

    private static final class OwnLogger implements Logger {
        private boolean isOn;
        private final StringBuilder logged = new StringBuilder();

        @Override
        public boolean isDebugEnabled() {
            return isOn;
        }

        @Override
        public void debug(String message) {
            if (isOn) {
                logged.append(message.length()).append(' ');
            }
        }
    }

    private static final class Sequence {
        private int last;

        @Override
        public String toString() {
            StringBuilder text = new StringBuilder();
            for (int digit = 0; digit < 200; digit++) {
                text.append((char) ('0' + digit % 10)).append(Integer.toString(digit));
            }
            return text.append(++last).toString();
        }
    }

    /** The text of the message takes the next number. */
    static final class Effect implements Case {
        private final Logger log = new OwnLogger();
        private final Sequence sequence = new Sequence();

        @Override
        public String round() {
            for (int record = 0; record < 200; record++) {
                log(record);
            }
            return "last number: " + sequence.last;
        }

        private void log(int record) {
            log.debug("record " + record + " has " + sequence);
        }
    }

    /** Another line switches the level on and off. */
    static final class ChangingLevel implements Case {
        private final Sequence quiet = new Sequence();

        @Override
        public String round() {
            OwnLogger log = new OwnLogger();
            for (int record = 0; record < 400; record++) {
                log.isOn = record % 100 == 99;
                log(log, record);
            }
            return "logged: " + log.logged;
        }

        private void log(Logger log, int record) {
            quiet.last = 0;
            log.debug("record " + record + " has " + quiet);
        }
    }
}
