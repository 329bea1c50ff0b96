package wrong;

import java.util.Map;
import java.util.function.Supplier;

/** Against `fewer-frames`, `first-walk` and `no-stack`. */
final class Stacks {
    private static final int CALLS_COUNT = 200;

    private Stacks() {
    }

    static void addTo(Map<String, Supplier<Case>> cases) {
        cases.put("stack-depth", Depth::new);
        cases.put("stack-searched", Searched::new);
        cases.put("walk-of-two-callers", TwoCallers::new);
        cases.put("stack-of-an-exception-is-read", Read::new);
        cases.put("stack-of-a-parsed-text-is-read", Parsed::new);
        cases.put("stack-of-an-exception-is-printed", Printed::new);
    }

    /** Prints how deep the stack is. */
    static final class Depth implements Case {
        @Override
        public String round() {
            int sum = 0;
            for (int call = 0; call < CALLS_COUNT; call++) {
                sum += deeper(call % 5);
            }
            return "depth " + sum;
        }

        private static int deeper(int calls) {
            return calls == 0 ? depth() : deeper(calls - 1);
        }

        private static int depth() {
            StackTraceElement[] stack = Thread.currentThread().getStackTrace();
            return stack[1].getMethodName().equals("depth") ? stack.length : -1;
        }
    }

    /** Searches the whole stack for its caller. */
    static final class Searched implements Case {
        @Override
        public String round() {
            int found = 0;
            for (int call = 0; call < CALLS_COUNT; call++) {
                found += isBelowRound() ? 1 : 0;
            }
            return found + " calls";
        }

        private static boolean isBelowRound() {
            for (StackTraceElement frame : new Throwable().getStackTrace()) {
                if (frame.getMethodName().equals("round")) {
                    return true;
                }
            }
            return false;
        }
    }

    /** Two methods ask who they are. */
    static final class TwoCallers implements Case {
        @Override
        public String round() {
            String names = "";
            for (int call = 0; call < CALLS_COUNT; call++) {
                names = first() + " " + second();
            }
            return names;
        }

        private static String first() {
            return caller();
        }

        private static String second() {
            return caller();
        }

        private static String caller() {
            return StackWalker.getInstance().walk(frames -> frames.skip(1).findFirst().get().getMethodName());
        }
    }

    private static int depthOfRead(Exception exception) {
        return exception.getStackTrace().length;
    }

    /** The number of frames is a result. */
    static final class Read implements Case {
        @Override
        public String round() {
            int frames = 0;
            for (int call = 0; call < CALLS_COUNT; call++) {
                try {
                    check(call);
                } catch (IllegalStateException expected) {
                    frames += call == 0 ? depthOfRead(expected) : 0;
                }
            }
            return frames > 0 ? "has a stack" : "no stack";
        }

        private static void check(int number) {
            if (number >= 0) {
                throw new IllegalStateException("number");
            }
        }
    }

    /** The JDK creates the exception, and the program reads its stack. */
    static final class Parsed implements Case {
        @Override
        public String round() {
            int frames = 0;
            for (int call = 0; call < CALLS_COUNT; call++) {
                try {
                    frames += number("number " + call);
                } catch (NumberFormatException expected) {
                    frames += call == 0 ? depthOfRead(expected) : 0;
                }
            }
            return frames > 0 ? "has a stack" : "no stack";
        }

        private static int number(String text) {
            return Integer.parseInt(text);
        }
    }

    /** The stack goes into a text. */
    static final class Printed implements Case {
        @Override
        public String round() {
            String text = "";
            for (int call = 0; call < CALLS_COUNT; call++) {
                try {
                    check(call);
                } catch (UnsupportedOperationException expected) {
                    text = call == 0 ? printed(expected) : text;
                }
            }
            return text.contains("round") ? "shows the caller" : "shows no caller";
        }

        private static String printed(Exception exception) {
            java.io.StringWriter text = new java.io.StringWriter();
            exception.printStackTrace(new java.io.PrintWriter(text, true));
            return text.toString();
        }

        private static void check(int number) {
            if (number >= 0) {
                throw new UnsupportedOperationException("number");
            }
        }
    }
}
