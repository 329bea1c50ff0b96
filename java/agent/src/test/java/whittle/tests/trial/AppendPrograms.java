package whittle.tests.trial;

import java.util.List;
import java.util.function.Supplier;

/** Small programs that append to texts. */
final class AppendPrograms {
    private AppendPrograms() {
    }

    static String loop(int count) {
        String text = "";
        for (int index = 0; index < count; index++) {
            text += index + "," + index * 17L % 101 + ";";
        }
        return text;
    }

    static String nothing(int count) {
        String text = null;
        for (int index = 0; index < count; index++) {
            text += "x";
        }
        return text == null ? "none" : text;
    }

    static String several(List<String> parts, boolean isLong) {
        String text = "(";
        int length = 0;
        for (String part : parts) {
            text += part;
            length += text.length();
            text += isLong ? " long " + part : 'c';
            if (text.endsWith("b")) {
                text = text.substring(1);
            }
        }
        String copy = text;
        text += '!';
        return text + copy + length;
    }

    static String tried(List<String> parts) {
        String text = "start";
        try {
            for (String part : parts) {
                text += part.charAt(0);
            }
        } catch (IndexOutOfBoundsException empty) {
            text += empty.getClass().getSimpleName();
        } finally {
            text += ".";
        }
        return text;
    }

    static String captured(int count) {
        String text = "a";
        for (int index = 0; index < count; index++) {
            String before = text;
            Supplier<String> old = () -> before;
            text += old.get().length();
        }
        return text;
    }

    static String nested(int count) {
        String text = "a";
        for (int index = 0; index < count; index++) {
            text += switch (index % 2) {
                case 0 -> {
                    text += "x";
                    yield text.length();
                }
                default -> 7;
            };
        }
        return text;
    }

    static String inner(int count) {
        String text = "a";
        for (int index = 0; index < count; index++) {
            text += (text += "b") + text.length();
        }
        return text;
    }

    static String reassigned(int count) {
        String text = "a";
        for (int index = 0; index < count; index++) {
            text += (text = "b");
        }
        return text;
    }

    static String twoVariables(int count) {
        String first = "";
        String second = "s";
        for (int index = 0; index < count; index++) {
            first += second;
            second += first.length();
        }
        for (int index = 0; index < 2; index++) {
            String third = "t" + index;
            first += third;
        }
        return first + second;
    }

    static String parameter(String text) {
        for (int index = 0; index < 3; index++) {
            text += index;
        }
        return text;
    }

    static String atTheFront(int count) {
        String text = "";
        for (int index = 0; index < count; index++) {
            text = index + text;
        }
        return text;
    }

    static String joined(String left, String right) {
        return left + right;
    }

    static String asObject(int count) {
        Object text = "";
        for (int index = 0; index < count; index++) {
            text = text + "x";
        }
        return text.toString();
    }

    static String eitherWay(int count, boolean isLong) {
        String text = "";
        for (int index = 0; index < count; index++) {
            text = isLong ? text + "long" : text + index;
        }
        return text;
    }
}
