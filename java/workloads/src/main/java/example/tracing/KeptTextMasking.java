package example.tracing;

/**
 * Masks only the start of the text. A mask is usually shorter than the text that it replaces, so more text is masked than is
 * kept. The masked text ends at the end of a line, because personal data does not continue on the next line.
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
