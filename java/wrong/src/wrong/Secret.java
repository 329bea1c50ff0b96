package wrong;

/** Has a private field. */
final class Secret {
    private final String text = "secret";

    @Override
    public String toString() {
        return text.isEmpty() ? "empty" : "hidden";
    }
}
