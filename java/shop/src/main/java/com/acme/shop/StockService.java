package com.acme.shop;

import com.acme.warehouse.WarehouseDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.stereotype.Service;

/** How many pieces of a product are there: in the shop, or in the warehouse of another company. */
@Service
class StockService {
    private final WarehouseDatabase warehouse;
    private final DataSource pool;

    StockService(WarehouseDatabase warehouse, @Qualifier("warehousePool") DataSource pool) {
        this.warehouse = warehouse;
        this.pool = pool;
    }

    int pieces(Product product) {
        if (!product.external()) return product.stock();
        try (Connection connection = connect();
                PreparedStatement query = connection.prepareStatement("select pieces from stock where product = ?")) {
            query.setLong(1, product.id());
            try (ResultSet rows = query.executeQuery()) {
                return rows.next() ? rows.getInt(1) : 0;
            }
        } catch (SQLException e) {
            throw new IllegalStateException("The warehouse does not answer", e);
        }
    }

    private Connection connect() throws SQLException {
        if (Faults.on("connection-per-call")) {
            return DriverManager.getConnection(warehouse.url(), "sa", ""); // [call connection-per-call]
        }
        return pool.getConnection();
    }
}
