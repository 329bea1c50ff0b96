package com.acme.shop;

import com.acme.warehouse.WarehouseDatabase;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

/** The shop's own database in memory, and the warehouse's, which is reached by TCP. */
@Configuration
class Databases {
    @Bean
    @Primary
    DataSource shopDatabase() {
        return pool("shop", "jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1", Options.pool());
    }

    @Bean(destroyMethod = "stop")
    WarehouseDatabase warehouse() throws SQLException {
        return WarehouseDatabase.start(SampleData.PRODUCTS);
    }

    @Bean
    DataSource warehousePool(WarehouseDatabase warehouse) {
        return pool("warehouse", warehouse.url(), 8);
    }

    private static DataSource pool(String name, String url, int size) {
        HikariDataSource pool = new HikariDataSource();
        pool.setPoolName(name);
        pool.setJdbcUrl(url);
        pool.setUsername("sa");
        pool.setPassword("");
        pool.setMaximumPoolSize(size);
        return pool;
    }
}
