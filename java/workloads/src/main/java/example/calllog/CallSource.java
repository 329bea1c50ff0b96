package example.calllog;

/** Tells the log which method makes a remote call. */
public interface CallSource {
    /** The name of the calling method; {@code given} is the name that the caller passes. */
    String nameOf(String given);
}
