package example.tracing;

/** Masks the whole text, and keeps the start of the result. */
public final class WholeTextMasking implements Masking {
    @Override
    public String maskedStart(String text, int length) {
        String masked = PersonalData.masked(text);
        return masked.substring(0, Math.min(length, masked.length()));
    }
}
