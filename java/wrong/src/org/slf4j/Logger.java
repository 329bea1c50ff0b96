package org.slf4j;

/** The part of the interface that this program needs. */
public interface Logger {
    boolean isDebugEnabled();

    void debug(String message);
}
