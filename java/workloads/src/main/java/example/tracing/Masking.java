package example.tracing;

/** How a text is made free of names, mail addresses and phone numbers before its start is kept. */
public interface Masking {
    /** The first {@code length} characters of a text, or those that stand for them, without personal data. */
    String maskedStart(String text, int length);
}
