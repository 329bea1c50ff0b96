package example.calllog;

/** How the log knows who makes a remote call. */
public interface CallSource {
    /** The name of the calling method; {@code given} is what the caller says it is. */
    String nameOf(String given);
}
