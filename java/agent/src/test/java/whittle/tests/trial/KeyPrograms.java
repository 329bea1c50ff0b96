package whittle.tests.trial;

import java.util.Objects;

/** Classes of keys. */
final class KeyPrograms {
    private KeyPrograms() {
    }

    static final class Point {
        private final int x;
        private final int y;

        Point(int x, int y) {
            this.x = x;
            this.y = y;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Point point && point.x == x && point.y == y;
        }

        @Override
        public int hashCode() {
            return x + y;
        }
    }

    static final class Session {
        private final String tenant;
        private final long user;

        Session(String tenant, long user) {
            this.tenant = tenant;
            this.user = user;
        }

        @Override
        public boolean equals(Object other) {
            if (this == other) {
                return true;
            }
            if (other == null || getClass() != other.getClass()) {
                return false;
            }
            Session session = (Session) other;
            return Long.compare(user, session.user) == 0 && Objects.equals(tenant, session.tenant);
        }

        @Override
        public int hashCode() {
            return Objects.hashCode(tenant);
        }
    }

    /** The form of older generators of code. */
    static final class Town {
        private final String name;
        private final int code;

        Town(String name, int code) {
            this.name = name;
            this.code = code;
        }

        @Override
        public boolean equals(Object other) {
            if (!(other instanceof Town)) {
                return false;
            }
            Town town = (Town) other;
            if (name != null ? !name.equals(town.name) : town.name != null) {
                return false;
            }
            return code == town.code;
        }

        @Override
        public int hashCode() {
            return code & 1;
        }
    }

    record Cell(int x, double y, String name) {
    }

    /** Its text is compared without regard to case, so only the number is equal in equal keys. */
    static final class CaseBlind {
        private final String text;
        private final int number;

        CaseBlind(String text, int number) {
            this.text = text;
            this.number = number;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof CaseBlind key && key.number == number && key.text.equalsIgnoreCase(text);
        }

        @Override
        public int hashCode() {
            return number & 1;
        }
    }

    /** The name can change while the key is in a table. */
    static final class Renamed {
        private final int id;
        private String name;

        Renamed(int id, String name) {
            this.id = id;
            this.name = name;
        }

        void rename(String other) {
            name = other;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Renamed key && key.id == id && key.name.equals(name);
        }

        @Override
        public int hashCode() {
            return id % 3;
        }
    }

    /** Two keys are equal if one of two fields is equal, so no field is equal in all equal keys. */
    static final class Either {
        private final int id;
        private final String name;

        Either(int id, String name) {
            this.id = id;
            this.name = name;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Either key && (key.id == id || key.name.equals(name));
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }

    /** A wildcard is equal to every key. */
    static final class Wildcard {
        private final int id;
        private final boolean isWildcard;

        Wildcard(int id, boolean isWildcard) {
            this.id = id;
            this.isWildcard = isWildcard;
        }

        @Override
        public boolean equals(Object other) {
            if (other instanceof Wildcard key) {
                return key.isWildcard || isWildcard || key.id == id;
            }
            return false;
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }

    /** 0.0 and -0.0 are equal here, but their hash codes differ. */
    static final class Length {
        private final double metres;

        Length(double metres) {
            this.metres = metres;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Length length && length.metres == metres;
        }

        @Override
        public int hashCode() {
            return (int) metres;
        }
    }

    static final class Remembering {
        private final int id;
        private int hash;

        Remembering(int id) {
            this.id = id;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Remembering key && key.id == id;
        }

        @Override
        public int hashCode() {
            if (hash == 0) {
                hash = id & 3;
            }
            return hash;
        }
    }

    static class Parent {
        @Override
        public boolean equals(Object other) {
            return other instanceof Parent;
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }

    static final class Child extends Parent {
        private final int id = 1;

        @Override
        public int hashCode() {
            return id;
        }
    }
}
