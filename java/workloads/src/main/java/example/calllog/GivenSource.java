package example.calllog;

/** Uses the name that the caller passes. */
public final class GivenSource implements CallSource {
    @Override
    public String nameOf(String given) {
        return given;
    }
}
