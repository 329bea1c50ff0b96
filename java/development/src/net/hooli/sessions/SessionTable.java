package net.hooli.sessions;

import com.acme.load.Load;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Sessions of many users of a few tenants. */
public final class SessionTable {
    /** Identifies a session. */
    static final class SessionKey {
        private final String tenant;
        private final long user;

        SessionKey(String tenant, long user) {
            this.tenant = tenant;
            this.user = user;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof SessionKey key && key.user == user && key.tenant.equals(tenant);
        }

        @Override
        public int hashCode() { // [or]
            return Objects.hashCode(tenant); // [edit]
            // [new] return Long.hashCode(user * 0x9E3779B97F4A7C15L) ^ Objects.hashCode(tenant);
        }
    }

    /** The data of a session. */
    record Session(long created, String page) {}

    private final ConcurrentMap<SessionKey, Session> sessions = new ConcurrentHashMap<>();

    void open(String tenant, long user) {
        sessions.put(new SessionKey(tenant, user), new Session(user * 31, "/" + tenant)); // [call]
    }

    long touch(String tenant, long user) {
        Session session = sessions.get(new SessionKey(tenant, user)); // [call]
        return session == null ? 0 : session.created() + session.page().length();
    }

    public static void main(String[] arguments) {
        String[] tenants = {"north", "south", "east", "west"};
        SessionTable table = new SessionTable();
        for (int user = 0; user < 1200; user++) table.open(tenants[user & 3], user);
        Load.onThreads(2, "request", () -> () -> {
            long sum = 0;
            for (int user = 0; user < 2400; user++) {
                sum += table.touch(tenants[user & 3], user);
                for (int i = 0; i < 100; i++) sum = sum * 31 + (sum >>> 9);
            }
            Load.kept = sum;
        });
    }
}
