package example.tracing;

/**
 * Masks no more of the text than is kept. A mask is shorter than what it stands for in most cases, so more of the text than
 * the length is looked at, up to a line's end: personal data does not cross one.
 */
public final class KeptTextMasking implements Masking {
    private static final int LOOKED_AT_FACTOR = 2;

    @Override
    public String maskedStart(String text, int length) {
        int end = text.indexOf('\n', Math.min(length * LOOKED_AT_FACTOR, text.length()));
        String masked = PersonalData.masked(end < 0 ? text : text.substring(0, end));
        return masked.substring(0, Math.min(length, masked.length()));
    }
}
