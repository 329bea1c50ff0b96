//! Sends the same queries to the embedded engine and to a real Trino cluster of a coordinator and two workers. The
//! answers are equal, for a store in a directory and for a store with the S3 protocol.

use crate::support::{self, DAY_S, Landed, take_in};
use object_store::aws::AmazonS3Builder;
use serde::Serialize;
use serde_json::Value;
use std::sync::{Arc, OnceLock};
use tokio::runtime::Runtime;
use whittle_experiment::Store;
use whittle_fleet::catalogue::Snapshot;
use whittle_fleet::cost::Price;
use whittle_fleet::engine::{DataFusion, EngineLimits, Trino, TrinoPlace};
use whittle_fleet::fleet::{Fleet, QueryError};
use whittle_fleet::question::{LabelFilter, Question, Split, TimeRange, Whose};
use whittle_fleet::regressions::{Change, RegressionsQuestion};
use whittle_fleet::saving::SavingQuestion;
use whittle_fleet::share::ShareQuestion;
use whittle_profile::{Flavour, Query, ViewMode};
use whittle_testkit::{S3Server, Trino as Cluster};
use whittle_verdict::regressions::Question as Limits;
use whittle_views::flame_graph::FlameGraphShape;

const HOUR_S: i64 = 3600;
const BUCKET: &str = "fleet";

/// The cluster for all tests of this file, and the store in S3 that the cluster can read.
fn servers() -> Option<&'static (Cluster, S3Server)> {
    static SERVERS: OnceLock<Option<(Cluster, S3Server)>> = OnceLock::new();
    let servers = SERVERS.get_or_init(|| {
        let store = S3Server::start(&[BUCKET])?;
        Some((Cluster::start(Some(&store))?, store))
    });
    servers.as_ref()
}

fn store_in_s3(server: &S3Server) -> Store {
    let builder = AmazonS3Builder::new().with_bucket_name(BUCKET).with_allow_http(true);
    let builder = builder.with_endpoint(server.endpoint()).with_region(S3Server::REGION);
    let builder = builder.with_access_key_id(S3Server::ACCESS_KEY).with_secret_access_key(S3Server::SECRET_KEY);
    Store::over(Arc::new(builder.build().unwrap()), &format!("s3://{BUCKET}"))
}

/// Two services with unusual names, three machines, two versions, two days.
fn segments() -> Vec<Landed> {
    let mut segments = Vec::new();
    for (number, start) in [0, 1770, 3570, 7170, 40_000, 86_370, 90_000].into_iter().enumerate() {
        for host in 0..3 {
            let version = if host == 0 || number > 3 { "1.1" } else { "1.0" };
            segments.push(Landed::new("it's a/b %2F", &format!("host-{host}"), version, DAY_S + start));
        }
        segments.push(Landed::new("search", "host-0", "7", DAY_S + start));
    }
    segments
}

fn questions() -> Vec<Question> {
    let shop = || vec!["it's a/b %2F".to_owned()];
    let all = |(from_s, to_s): (i64, i64), whose: Whose, split: &[Split]| Question {
        whose,
        time: TimeRange { from_s: DAY_S + from_s, to_s: DAY_S + to_s },
        split: split.to_vec(),
    };
    let one = || Whose { services: shop(), ..Whose::default() };
    let filtered = Whose {
        versions: vec!["1.0".to_owned(), "it's none".to_owned()],
        hosts: vec!["host-1".to_owned(), "host-2".to_owned()],
        regions: vec!["north".to_owned()],
        labels: vec![LabelFilter { name: "zone".to_owned(), value: "a_b".to_owned() }],
        ..one()
    };
    vec![
        all((0, 2 * 86_400), one(), &[]),
        all((HOUR_S, 3 * HOUR_S), one(), &[]),
        all((1780, 3590), one(), &[Split::Host]),
        all((1, 90_020), one(), &[Split::Version, Split::Time(HOUR_S)]),
        all((0, 86_400), filtered, &[Split::Thread]),
        all((0, 2 * 86_400), Whose::default(), &[Split::Service, Split::Region, Split::Time(60)]),
    ]
}

/// An answer as text.
fn shown(runtime: &Runtime, fleet: &Fleet, (snapshot, question): (&Snapshot, &Question)) -> Result<String, QueryError> {
    let answered = runtime.block_on(fleet.ask(snapshot, question))?;
    let profile = answered.into_profile()?;
    let views = ViewMode::ALL.map(|mode| {
        let query = Query { mode, ..Query::default() };
        let functions = support::rows(&whittle_views::functions::functions(&profile, &query).unwrap());
        let threads = support::rows(
            &whittle_views::threads::threads(&profile, &query, &whittle_views::threads::ThreadsShape::default())
                .unwrap(),
        );
        [functions, threads, support::boxes(&profile, &query, FlameGraphShape::default())].join("\n")
    });
    Ok(views.join("\n"))
}

/// Values of a query from the fleet's tables, as JSON. Sums of floating-point numbers can differ in their last digits.
fn tables(runtime: &Runtime, fleet: &Fleet, (snapshot, question): (&Snapshot, &Question)) -> Vec<Value> {
    let (price, query) = (Price::default(), Query::default());
    let share = ShareQuestion {
        question: Question { split: vec![Split::Version, Split::Time(HOUR_S)], ..question.clone() },
        function: "work_1()".to_owned(),
        mode: ViewMode::User,
        metric: "cpu".to_owned(),
    };
    runtime.block_on(async {
        vec![
            json(&fleet.services(snapshot, question, price).await.unwrap()),
            json(&fleet.top(snapshot, (question, &query), price).await.unwrap()),
            json(&fleet.share(snapshot, &share, price).await.unwrap()),
            changes(fleet, (snapshot, question)).await,
        ]
    })
}

/// The answers or errors of three queries for one service: regressions by version, regressions at an unknown date, and
/// the saving.
async fn changes(fleet: &Fleet, (snapshot, question): (&Snapshot, &Question)) -> Value {
    let mut all = Vec::new();
    for change in [Change::Version { from: None, to: None }, Change::UnknownDate] {
        let asked = RegressionsQuestion {
            whose: Whose { versions: Vec::new(), ..question.whose.clone() },
            time: question.time,
            change,
            period_s: None,
            flavour: Flavour::Inclusive,
            mode: ViewMode::User,
            watched: Vec::new(),
            unit: None,
            limits: Limits::default(),
            limit: None,
        };
        let answer = fleet.regressions(snapshot, &asked, Price::default()).await;
        all.push(answer.map_or_else(|error| error.to_string().into(), |view| json(&view)));
    }
    let asked = SavingQuestion { before: question.clone(), after: question.clone(), unit: None };
    all.push(json(&fleet.saving(snapshot, &asked, Price::default()).await.unwrap()));
    all.into()
}

fn json(view: &impl Serialize) -> Value {
    let mut value = serde_json::to_value(view).unwrap();
    round(&mut value);
    value
}

fn round(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(round),
        Value::Object(values) => values.values_mut().for_each(round),
        Value::Number(number) if number.is_f64() => *value = format!("{:.9e}", number.as_f64().unwrap()).into(),
        _ => {}
    }
}

/// Sends the same queries to both engines.
fn compare(runtime: &Runtime, (store, cluster): (&Arc<Store>, &Cluster), questions: &[Question]) {
    let place =
        TrinoPlace { address: cluster.address(), user: "test".to_owned(), catalog: "files".to_owned(), location: None };
    let trino = Fleet::new(Arc::clone(store), Box::new(Trino::new(store, place).unwrap()));
    let embedded = Fleet::new(Arc::clone(store), Box::new(DataFusion::new(store, EngineLimits::default()).unwrap()));
    let snapshot = runtime.block_on(embedded.snapshot()).unwrap();
    for question in questions {
        let asked = (&snapshot, question);
        let expected = shown(runtime, &embedded, asked).unwrap();
        assert!(expected.lines().count() > 100, "the answer is nearly empty: {question:?}");
        assert_eq!(shown(runtime, &trino, asked).unwrap(), expected, "{question:?}");
        assert_eq!(tables(runtime, &trino, asked), tables(runtime, &embedded, asked), "{question:?}");
    }
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap()
}

#[test]
fn both_engines_answer_alike_over_a_directory() {
    let Some((cluster, _)) = servers() else { return };
    let directory = tempfile::tempdir().unwrap();
    let (runtime, store) = (runtime(), Arc::new(Store::open(directory.path().to_str().unwrap()).unwrap()));
    runtime.block_on(take_in(&store, &segments()));
    compare(&runtime, (&store, cluster), &questions());
}

#[test]
fn both_engines_answer_alike_over_s3() {
    let Some((cluster, server)) = servers() else { return };
    let (runtime, store) = (runtime(), Arc::new(store_in_s3(server)));
    runtime.block_on(take_in(&store, &segments()));
    compare(&runtime, (&store, cluster), &questions()[2..4]);
    let files =
        runtime.block_on(async { whittle_fleet::catalogue::Catalogue::new(store).newest().await.unwrap().files });
    assert!(files.iter().all(|file| server.bucket_folder(BUCKET).join(&file.path).exists()), "{files:?}");
}
