package whittle.workloads.readers;

/** A summary of the characters: equal for readers that saw the same characters in the same order. */
final class Seen {
    private long characters;
    private long lines;
    private int checksum;

    void look(int character) {
        characters++;
        if (character == '\n') {
            lines++;
        }
        checksum = 31 * checksum + character;
    }

    long characters() {
        return characters;
    }

    String text() {
        return "characters=" + characters + " lines=" + lines + " checksum=" + Integer.toHexString(checksum);
    }
}
