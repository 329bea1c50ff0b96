//! The client of Trino's protocol, with a server that follows the protocol's documentation.
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use whittle_experiment::Store;
use whittle_fleet::catalogue::{DataFile, Level};
use whittle_fleet::engine::{Engine, EngineError, Numbers, Texts, Trino, TrinoPlace};
use whittle_fleet::tables::FleetTable;

/// A coordinator that is busy at first. It queues a SELECT, and then sends the answer in two pages.
struct Coordinator {
    address: String,
    statements: Arc<Mutex<Vec<String>>>,
}

impl Coordinator {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let statements = Arc::new(Mutex::new(Vec::new()));
        let (own, known) = (address.clone(), Arc::clone(&statements));
        std::thread::spawn(move || {
            let mut busy = 2;
            for stream in listener.incoming() {
                serve(stream.unwrap(), &own, &known, &mut busy);
            }
        });
        Self { address, statements }
    }

    fn engine(&self, store: &Store) -> Trino {
        let (user, catalog) = ("tester".to_owned(), "files".to_owned());
        Trino::new(store, TrinoPlace { address: format!("{}/", self.address), user, catalog, location: None }).unwrap()
    }
}

/// Answers the only request of a connection.
fn serve(mut stream: TcpStream, address: &str, statements: &Mutex<Vec<String>>, busy: &mut u32) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut first, mut length, mut user) = (String::new(), 0, String::new());
    reader.read_line(&mut first).unwrap();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        length = line.strip_prefix("content-length: ").map_or(length, |text| text.parse().unwrap());
        user = line.strip_prefix("x-trino-user: ").map_or(user, str::to_owned);
    }
    assert_eq!(user, "tester");
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let body = String::from_utf8(body).unwrap();
    if *busy > 0 {
        *busy -= 1;
        return reply(&mut stream, "503 Service Unavailable", &json!("busy"));
    }
    let page = match first.split(' ').nth(1).unwrap() {
        "/v1/statement" => {
            statements.lock().unwrap().push(body.clone());
            let is_wrong = body.contains("no_such_column");
            let next = if body.starts_with("CREATE") {
                "done"
            } else if is_wrong {
                "error"
            } else {
                "queued"
            };
            json!({"id": "1", "nextUri": format!("{address}/v1/{next}")})
        }
        "/v1/queued" => json!({"id": "1", "nextUri": format!("{address}/v1/1")}),
        "/v1/1" => json!({
            "columns": [{"name": "event", "type": "varchar"}, {"name": "stack", "type": "bigint"},
                        {"name": "value", "type": "double"}],
            "data": [["cpu", 9_007_199_254_740_993_i64, 0.5], [null, -1, null]],
            "nextUri": format!("{address}/v1/2")
        }),
        "/v1/2" => json!({
            "columns": [{"name": "event", "type": "varchar"}, {"name": "stack", "type": "bigint"},
                        {"name": "value", "type": "double"}],
            "data": [["alloc", 7, 2]]
        }),
        "/v1/error" => json!({"error": {"message": "line 1:8: Column 'no_such_column' cannot be resolved"}}),
        _ => json!({"id": "1"}),
    };
    reply(&mut stream, "200 OK", &page);
}

fn reply(stream: &mut TcpStream, status: &str, body: &Value) {
    let body = body.to_string();
    write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len()).unwrap();
}

fn file(path: &str) -> DataFile {
    let (path, service) = (path.to_owned(), "a".to_owned());
    let (table, level) = (FleetTable::Samples, Level::Hour);
    DataFile { table, path, service, first_s: 0, last_s: 1, level, row_count: 1, bytes: 1 }
}

#[test]
fn pages_are_followed_and_tables_are_made_once() {
    let coordinator = Coordinator::start();
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open(directory.path().to_str().unwrap()).unwrap();
    let engine = coordinator.engine(&store);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let files = [file("tables/samples/service=it's/day=2026-11-22/a.parquet")];
    let rows = runtime.block_on(engine.rows("SELECT event, stack, value FROM samples", &files)).unwrap();
    let mut found = Vec::new();
    for batch in &rows.0 {
        let (event, stack) = (Texts::of(batch, "event").unwrap(), Numbers::of(batch, "stack").unwrap());
        found.extend((0..batch.num_rows()).map(|row| (event.value(row).to_owned(), stack.value(row))));
    }
    let expected = [("cpu", 9_007_199_254_740_993), ("", -1), ("alloc", 7)];
    assert_eq!(found, expected.map(|(event, stack)| (event.to_owned(), stack)));
    runtime.block_on(engine.rows("SELECT 1 FROM rollup", &files)).unwrap();
    let statements = coordinator.statements.lock().unwrap();
    let created = statements.iter().filter(|sql| sql.starts_with("CREATE")).count();
    assert_eq!(created, 5, "{statements:#?}");
    let place = directory.path().canonicalize().unwrap().display().to_string();
    let samples = statements.iter().find(|sql| sql.contains("\"samples\" (")).unwrap();
    assert!(samples.contains(&format!("external_location = 'local://{place}/tables/samples'")), "{samples}");
    assert!(samples.contains("\"count\" BIGINT") && samples.contains("\"event\" VARCHAR"), "{samples}");
    let asked = &statements[statements.len() - 2];
    assert!(asked.contains(&format!("\"$path\" IN ('local://{place}/tables/samples/service=it''s/")), "{asked}");
    assert!(asked.contains("\"rollup\" AS (SELECT * FROM") && asked.contains("WHERE false"), "{asked}");
}

#[test]
fn the_servers_words_come_through() {
    let coordinator = Coordinator::start();
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open(directory.path().to_str().unwrap()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let refused = |engine: &Trino, sql: &str| match runtime.block_on(engine.rows(sql, &[])) {
        Err(EngineError::Refused { reason, .. }) => reason,
        other => panic!("{other:?}"),
    };
    let reason = refused(&coordinator.engine(&store), "SELECT no_such_column FROM samples");
    assert_eq!(reason, "line 1:8: Column 'no_such_column' cannot be resolved");
    let place = TrinoPlace {
        address: "http://127.0.0.1:9".to_owned(),
        user: "tester".to_owned(),
        catalog: "files".to_owned(),
        location: None,
    };
    let reason = refused(&Trino::new(&store, place).unwrap(), "SELECT 1");
    assert!(reason.contains("http://127.0.0.1:9") && reason.contains("--trino"), "{reason}");
}
