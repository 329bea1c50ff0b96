package wrong;

/** A program that would mean something else with a remedy. */
interface Case {
    /** One round of work, of a few milliseconds. The answer shows the meaning. It is the same in each run of the unchanged program. */
    String round() throws Exception;
}
