package whittle.healthy;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Random;

/** H2 inside the process. Two clients enter, look up and sum orders, with prepared statements. */
public final class Database {
    private static final String URL = "jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1";
    private static final int CUSTOMERS = 2_000, ORDERS = 50_000;

    private Database() {}

    private static void fill() throws SQLException {
        try (Connection connection = DriverManager.getConnection(URL); Statement statement = connection.createStatement()) {
            statement.execute("create table customer(id int primary key, name varchar(40), city varchar(20))");
            statement.execute("create table orders(id bigint primary key, customer int references customer, cents bigint, state char(1))");
            statement.execute("create index by_customer on orders(customer)");
            statement.execute("insert into customer select x, 'Customer ' || x, 'City ' || mod(x, 90) from system_range(0, " + (CUSTOMERS - 1) + ")");
            statement.execute("insert into orders select x, mod(x * 31, " + CUSTOMERS + "), mod(x * 7919, 100000), 'N' from system_range(0, " + (ORDERS - 1) + ")");
        }
    }

    /** A client: its connection and its statements. */
    private static final class Client implements AutoCloseable {
        private final Random random;
        private final Connection connection = DriverManager.getConnection(URL);
        private final PreparedStatement byCustomer = connection.prepareStatement("select id, cents, state from orders where customer = ?");
        private final PreparedStatement pay = connection.prepareStatement("update orders set state = ?, cents = cents + ? where id = ?");
        private final PreparedStatement byCity = connection.prepareStatement(
                "select c.city, count(*), sum(o.cents) from orders o join customer c on o.customer = c.id where c.id between ? and ? group by c.city order by 3 desc");

        Client(int number) throws SQLException {
            random = new Random(number);
            connection.setAutoCommit(false);
        }

        private long sum(PreparedStatement query, int column) throws SQLException {
            long sum = 0;
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) sum += rows.getLong(column);
            }
            return sum;
        }

        /** A few look-ups, a few payments, and sometimes a report. */
        long transaction(int number) throws SQLException {
            long sum = 0;
            for (int i = 0; i < 20; i++) {
                byCustomer.setInt(1, random.nextInt(CUSTOMERS));
                sum += sum(byCustomer, 2);
            }
            for (int i = 0; i < 5; i++) {
                pay.setString(1, "P");
                pay.setLong(2, number);
                // Each client has its own orders, so no client waits for the other client's transaction.
                pay.setLong(3, random.nextInt(ORDERS / 2) * 2L + number);
                pay.addBatch();
            }
            pay.executeBatch();
            if (random.nextInt(10) == 0) {
                int first = random.nextInt(CUSTOMERS - 200);
                byCity.setInt(1, first);
                byCity.setInt(2, first + 200);
                sum += sum(byCity, 3);
            }
            connection.commit();
            return sum;
        }

        @Override
        public void close() throws SQLException {
            connection.close();
        }
    }

    /** Runs for {@code -Dseconds}. */
    public static void main(String[] arguments) throws Exception {
        fill();
        Client[] clients = {new Client(0), new Client(1)};
        Load.start("client", clients.length, number -> clients[number].transaction(number));
        Load.finish();
    }
}
