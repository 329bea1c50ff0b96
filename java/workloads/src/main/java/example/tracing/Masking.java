package example.tracing;

/** Removes names, mail addresses and phone numbers from a text, before its start is kept. */
public interface Masking {
    /** The first {@code length} characters of a text after personal data was replaced by masks. */
    String maskedStart(String text, int length);
}
