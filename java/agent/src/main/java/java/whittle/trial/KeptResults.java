package java.whittle.trial;

/** What earlier calls of a place have returned, by their arguments. */
interface KeptResults {
    /** The result of the call with equal arguments, or null. */
    Object get(Object... arguments);

    void put(Object result, Object... arguments);
}
