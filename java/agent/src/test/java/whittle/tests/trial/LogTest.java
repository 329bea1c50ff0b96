package whittle.tests.trial;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;

/** Texts that are made only if their logger logs them. */
final class LogTest {
    private final List<String> logged = new ArrayList<>();
    private int textsCount;

    private Logger logger(boolean isOn) {
        Class<?>[] types = {Logger.class};
        return (Logger) Proxy.newProxyInstance(Logger.class.getClassLoader(), types, (proxy, method, arguments) -> {
            if (method.getName().startsWith("is")) {
                return isOn && method.getName().equals("isDebugEnabled");
            }
            if (isOn) {
                logged.add(method.getName() + " " + arguments[0]);
            }
            return null;
        });
    }

    private Object part() {
        return new Object() {
            @Override
            public String toString() {
                textsCount++;
                return "x";
            }
        };
    }

    /** The place is the concatenation, or the conversion of one of its operands. */
    @ParameterizedTest
    @ValueSource(strings = {"makeConcatWithConstants", "valueOf"})
    void aTextIsMadeOnlyForALevelThatIsOn(String target) throws Exception {
        Tried tried = new Tried("text-if-logged", LogPrograms.class, "debug", target);
        Tried.Loaded changed = tried.loaded();
        changed.run(logger(true), part(), 3);
        changed.run(logger(false), part(), 4);
        assertEquals(List.of("debug part x of 3"), logged);
        assertEquals(1, textsCount);
        assertEquals(2, tried.count());
    }

    @Test
    void textsForOtherCallsAreRefused() throws Exception {
        String reason = "refused: the text is not the only argument of a logger's method that whittle knows";
        for (String method : new String[] {"arguments", "choice", "other"}) {
            assertEquals(reason, new Tried("text-if-logged", LogPrograms.class, method, "makeConcatWithConstants").line(), method);
        }
    }
}
