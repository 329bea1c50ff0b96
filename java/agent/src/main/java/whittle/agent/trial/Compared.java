package whittle.agent.trial;

import org.objectweb.asm.tree.analysis.Value;

/** What is known about a value in the method `equals`. */
final class Compared implements Value {
    static final Compared THIS = new Compared(Kind.THIS, null, 1);
    static final Compared OTHER = new Compared(Kind.OTHER, null, 1);
    static final Compared ZERO = new Compared(Kind.ZERO, null, 1);
    static final Compared ONE = new Compared(Kind.ONE, null, 1);
    static final Compared UNKNOWN = new Compared(Kind.UNKNOWN, null, 1);
    static final Compared UNKNOWN_LONG = new Compared(Kind.UNKNOWN, null, 2);

    enum Kind {
        /** The object itself. */
        THIS,
        /** The argument. */
        OTHER,
        /** The field of the object itself. */
        FIELD_OF_THIS,
        /** The field of the argument. */
        FIELD_OF_OTHER,
        /** True if the field is equal in both objects. */
        IS_EQUAL,
        /** 0 if the field is equal in both objects. */
        ORDER,
        /** False. */
        ZERO,
        /** True. */
        ONE,
        UNKNOWN
    }

    final Kind kind;
    /** Null: no field is known. */
    final String field;
    private final int size;

    private Compared(Kind kind, String field, int size) {
        this.kind = kind;
        this.field = field;
        this.size = size;
    }

    static Compared unknown(int size) {
        return size == 2 ? UNKNOWN_LONG : UNKNOWN;
    }

    /** The field of this object. */
    Compared get(String name, int fieldSize) {
        boolean isKnown = kind == Kind.THIS || kind == Kind.OTHER;
        Kind of = kind == Kind.THIS ? Kind.FIELD_OF_THIS : Kind.FIELD_OF_OTHER;
        return isKnown ? new Compared(of, name, fieldSize) : unknown(fieldSize);
    }

    static Compared isEqual(String name) {
        return new Compared(Kind.IS_EQUAL, name, 1);
    }

    static Compared order(String name) {
        return new Compared(Kind.ORDER, name, 1);
    }

    boolean isField() {
        return kind == Kind.FIELD_OF_THIS || kind == Kind.FIELD_OF_OTHER;
    }

    /** The fact that this field is null in this object. No field has such a name. */
    String missing() {
        return kind + " " + field;
    }

    /** The fact that the same field of the other object is null. */
    String missingInOther() {
        return (kind == Kind.FIELD_OF_THIS ? Kind.FIELD_OF_OTHER : Kind.FIELD_OF_THIS) + " " + field;
    }

    /** The field, if one value is this field of the object itself, and the other one is the same field of the argument. Else null. */
    static String sameField(Compared first, Compared second) {
        boolean isPair = first.kind == Kind.FIELD_OF_THIS && second.kind == Kind.FIELD_OF_OTHER
            || first.kind == Kind.FIELD_OF_OTHER && second.kind == Kind.FIELD_OF_THIS;
        return isPair && first.field.equals(second.field) ? first.field : null;
    }

    /** One value is the object itself, and the other one is the argument. */
    static boolean isBoth(Compared first, Compared second) {
        return first.kind == Kind.THIS && second.kind == Kind.OTHER || first.kind == Kind.OTHER && second.kind == Kind.THIS;
    }

    @Override
    public int getSize() {
        return size;
    }
}
