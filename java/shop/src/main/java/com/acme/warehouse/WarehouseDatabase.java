package com.acme.warehouse;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import org.h2.tools.Server;

/** The database of another company, with the stock of its warehouse: H2 behind TCP on loopback. */
public final class WarehouseDatabase {
    private static final String NAME = "mem:warehouse";

    private final Server server;

    private WarehouseDatabase(Server server) {
        this.server = server;
    }

    /** Starts on a free port, with a stock for each of the products. */
    public static WarehouseDatabase start(int products) throws SQLException {
        System.setProperty("h2.bindAddress", "127.0.0.1");
        try (Connection connection = DriverManager.getConnection("jdbc:h2:" + NAME + ";DB_CLOSE_DELAY=-1", "sa", "");
                Statement statement = connection.createStatement()) {
            statement.execute("create table stock(product bigint primary key, pieces int)");
            try (PreparedStatement insert = connection.prepareStatement("insert into stock values(?, ?)")) {
                for (int product = 1; product <= products; product++) {
                    insert.setLong(1, product);
                    insert.setInt(2, product % 90);
                    insert.executeUpdate();
                }
            }
        }
        return new WarehouseDatabase(Server.createTcpServer("-tcpPort", "0", "-tcpDaemon").start());
    }

    /** The address for JDBC. */
    public String url() {
        return "jdbc:h2:tcp://127.0.0.1:" + server.getPort() + "/" + NAME;
    }

    /** Closes the port. */
    public void stop() {
        server.stop();
    }
}
