package java.whittle.trial;

/** A text that grows at its end. A variable of the program holds it instead of a String. The String is made when the program uses it. */
public final class GrowingText {
    /** Null: nothing was appended yet. */
    private StringBuilder builder;
    /** Null: the builder has a newer text. */
    private String text;

    private GrowingText(String text) {
        this.text = text;
    }

    /** The program stores this String in the variable. */
    public static GrowingText of(Object text) {
        return text == null ? null : new GrowingText((String) text);
    }

    /** The program reads the variable. */
    public static String text(GrowingText growing) {
        if (growing == null) {
            return null;
        }
        if (growing.text == null) {
            growing.text = growing.builder.toString();
        }
        return growing.text;
    }

    /** The program appends to the variable. Nothing else has this object, because other variables have Strings. */
    public static GrowingText append(GrowingText growing, String part, int place) {
        Places.count(place);
        GrowingText grown = growing == null ? new GrowingText("null") : growing;
        grown.add(part);
        return grown;
    }

    private void add(String part) {
        if (builder == null) {
            builder = new StringBuilder(text);
        }
        builder.append(part);
        text = null;
    }
}
