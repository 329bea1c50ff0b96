package whittle.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.apache.tomcat.jdbc.pool.PoolProperties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Statements of JDBC: their names, and that a pool does not count them again. */
final class StatementTest {
    private static final String URL = "jdbc:h2:mem:statements;DB_CLOSE_DELAY=-1";

    private final Attached agent;

    StatementTest() throws Exception {
        agent = new Attached();
    }

    @AfterEach
    void stop() throws Exception {
        agent.close();
    }

    /** Where connections come from. */
    private interface Source {
        Connection connect() throws SQLException;
    }

    private static Connection connect() throws SQLException {
        return DriverManager.getConnection(URL);
    }

    /** The program's own log of its statements. */
    private static List<String> expected() {
        return List.of("create table if not exists orders(id int primary key,customer varchar(?))", "delete from orders",
            "insert into orders values(?)", "insert into orders values(?)",
            "select customer from orders where id = ?", "select customer from orders where id = ?",
            "select customer from orders where id = ?", "delete from missing where id = ?");
    }

    private static void run(Source source) throws SQLException {
        try (Connection connection = source.connect(); Statement statement = connection.createStatement()) {
            statement.execute("create table if not exists orders(id int primary key, customer varchar(20))");
            statement.executeUpdate("delete from orders");
            statement.executeUpdate("insert into orders values(17,  'a secret')");
            try (PreparedStatement insert = connection.prepareStatement("insert into orders values(?, ?)")) {
                for (int id = 0; id < 5; id++) {
                    insert.setInt(1, id);
                    insert.setString(2, "another secret");
                    insert.addBatch();
                }
                insert.executeBatch();
            }
            try (PreparedStatement query = connection.prepareStatement("select customer from orders where id = ?")) {
                for (int id = 0; id < 3; id++) {
                    query.setInt(1, id);
                    query.executeQuery().close();
                }
            }
            assertThrows(SQLException.class, () -> statement.executeUpdate("delete from missing where id = 5"));
        }
    }

    private static List<String> executed(Recorded recorded) {
        return recorded.all().stream().filter(mark -> mark.startsWith("executed "))
            .map(mark -> mark.replaceFirst("executed \\d+ ", "")).toList();
    }

    /**
     * Waits until the agent has changed the classes that the pool generates, whose names are not known here. A statement
     * that was prepared before has no text.
     */
    private static void awaitKnownTexts(Source source) throws Exception {
        for (int attempt = 0; attempt < 100; attempt++) {
            try (Recorded recorded = new Recorded()) {
                run(source);
                if (executed(recorded).stream().noneMatch(mark -> mark.contains("unknown"))) {
                    return;
                }
            }
            Thread.sleep(50);
        }
    }

    private void eachIsMarkedOnce(Source source, String... lines) throws Exception {
        run(source);
        for (String line : lines) {
            agent.awaitLine("statement\t" + line);
        }
        awaitKnownTexts(source);
        try (Recorded recorded = new Recorded()) {
            run(source);
            assertEquals(expected(), executed(recorded));
            long begun = recorded.all().stream().filter(mark -> mark.startsWith("statement ")).count();
            assertEquals(expected().size(), begun);
        }
    }

    @Test
    void aDriverAlone() throws Exception {
        eachIsMarkedOnce(StatementTest::connect, "org.h2.jdbc.JdbcPreparedStatement\texecuteQuery",
            "org.h2.jdbc.JdbcConnection\tprepareStatement");
    }

    @Test
    void aPoolOfHikari() throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(URL);
        config.setMaximumPoolSize(1);
        try (HikariDataSource source = new HikariDataSource(config)) {
            eachIsMarkedOnce(source::getConnection, "com.zaxxer.hikari.pool.HikariProxyPreparedStatement\texecuteQuery",
                "com.zaxxer.hikari.pool.HikariProxyConnection\tprepareStatement",
                "org.h2.jdbc.JdbcPreparedStatement\texecuteBatch");
        }
    }

    @Test
    void aPoolOfTomcatAndALoggingDriver() throws Exception {
        System.setProperty("p6spy.config.logfile", Files.createTempFile("whittle-p6spy", ".log").toString());
        PoolProperties config = new PoolProperties();
        config.setUrl(URL.replace("jdbc:", "jdbc:p6spy:"));
        config.setDriverClassName("com.p6spy.engine.spy.P6SpyDriver");
        org.apache.tomcat.jdbc.pool.DataSource source = new org.apache.tomcat.jdbc.pool.DataSource(config);
        eachIsMarkedOnce(source::getConnection, "com.p6spy.engine.wrapper.PreparedStatementWrapper\texecuteQuery",
            "com.p6spy.engine.wrapper.ConnectionWrapper\tprepareStatement");
        source.close();
    }

    @Test
    void aStatementIsInsideItsItem() throws Exception {
        Source source = StatementTest::connect;
        run(source);
        agent.awaitLine("statement\torg.h2.jdbc.JdbcStatement\texecute");
        try (Recorded recorded = new Recorded()) {
            Thread thread = new Thread(() -> java.whittle.Items.undo(java.whittle.Calls.start("a.B/c")));
            thread.start();
            thread.join();
            run(source);
            List<String> marks = recorded.all();
            assertTrue(marks.stream().noneMatch(mark -> mark.startsWith("leave") || mark.startsWith("enter")), marks.toString());
        }
    }

    @Test
    void namesHaveNoLiterals() throws Exception {
        String[][] names = {
            {"select 1", "select ?"},
            {" select\n  *\tfrom a -- 'secret'\n where b=1.5e-7 and c='it''s' ", "select * from a where b=? and c=?"},
            {"select /* secret */ a from b /*+ hint */", "select a from b"},
            {"select a from b where c in (1, 2,3 , 4) and d in (?,?,?)", "select a from b where c in (?) and d in (?)"},
            {"insert into a(b, c) values (1, 'x'), (2, 'y'), (?, ?)", "insert into a(b,c) values (?)"},
            {"update a set b = -5, c = b - 5, d=N'x', e = X'0a' where f = $1", "update a set b = ?,c = b - ?,d=?,e = ? where f = ?"},
            {"select \"o\".\"id\" from \"orders\" where \"o\".\"name\" = \"secret\"", "select \"o\".\"id\" from \"orders\" where \"o\".\"name\" = ?"},
            {"select `a b` from t2 where x_1 = 0x1F and y=:name", "select `a b` from t2 where x_1 = ? and y=:name"},
            {"select $$secret$$, $a$it's$a$ from b", "select ? from b"},
            {"select 'a\\'secret' from b", "select \u2026"},
            {"select q'[it's secret]' from dual", "select q\u2026"},
            {"select 'secret", "select \u2026"},
            {"{call f(?, ?)}", "{call f(?)}"},
            {"select a from b where c between \"secret\" and \"secret\" or \"secret\" = c", "select a from b where c between ? and ? or ? = c"},
            {"select \"secret\" from \"b\" order by \"c\"", "select ? from \"b\" order by ?"},
            {"create user a identified by secret", "create user a identified by\u2026"},
            {"alter user a password secret", "alter user a password\u2026"},
            {"select a # secret\nfrom b", "select a \u2026"},
            {"", ""},
        };
        for (String[] name : names) {
            assertEquals(name[1], name(name[0]), name[0]);
        }
        String columns = "o1_0.id,o1_0.created,o1_0.customer_id,".repeat(10);
        String query = name("select " + columns + "o1_0.total from orders o1_0 where o1_0.customer_id=17");
        assertTrue(query.startsWith("select o1_0.id,o1_0.created"), query);
        assertTrue(query.endsWith("\u2026 from orders o1_0 where o1_0.customer_id=?"), query);
        assertTrue(name("select " + "x".repeat(100_000)).length() <= 128);
        assertEquals("select a from b where c in (?", name("select a from b where c in (" + "1, ".repeat(20_000)).replace("\u2026", ""));
    }

    /** The class is not public, and the bootstrap loader has it. */
    private static String name(String sql) throws Exception {
        Method name = Class.forName("java.whittle.Sql").getDeclaredMethod("name", String.class);
        name.setAccessible(true);
        return new String((byte[]) name.invoke(null, sql), StandardCharsets.UTF_8);
    }
}
