package whittle.tests.trial;

import org.slf4j.Logger;

/** Small programs that log texts. */
final class LogPrograms {
    private LogPrograms() {
    }

    static void debug(Logger logger, Object part, int number) {
        logger.debug("part " + part + " of " + number);
    }

    static void arguments(Logger logger, Object part) {
        logger.debug("part " + part, part);
    }

    static void choice(Logger logger, Object part) {
        logger.debug(part == null ? "none" : "part " + part);
    }

    static void other(StringBuilder text, Object part) {
        text.append("part " + part);
    }
}
