//! Tests that a real S3 server behaves as the store assumes, even if several programs write the same object.

use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutPayload, RetryConfig};
use std::fs;
use std::sync::Arc;
use tokio::runtime::Runtime;
use whittle_experiment::Store;
use whittle_testkit::S3Server;

const BUCKET: &str = "fleet";

/// Number of objects that needs more than one page of a listing. A page has at most 1000 objects.
const MORE_THAN_A_PAGE: usize = 1050;

fn bucket(server: &S3Server) -> AmazonS3 {
    let no_retries = RetryConfig { max_retries: 0, ..RetryConfig::default() };
    let builder = AmazonS3Builder::new().with_bucket_name(BUCKET).with_retry(no_retries).with_allow_http(true);
    let builder = builder.with_endpoint(server.endpoint()).with_region(S3Server::REGION);
    builder.with_access_key_id(S3Server::ACCESS_KEY).with_secret_access_key(S3Server::SECRET_KEY).build().unwrap()
}

fn store(server: &S3Server) -> Store {
    Store::over(Arc::new(bucket(server)), "s3://fleet")
}

/// 20 tasks create the same object at once. Returns the numbers of the tasks that succeeded, and the number of the task
/// that wrote the bytes.
async fn race(store: &Store, path: &Path) -> (Vec<u8>, u8) {
    let tries = (0..20_u8).map(|who| {
        let (store, path) = (store.clone(), path.clone());
        tokio::spawn(async move { store.create(&path, vec![who; 3000]).await.unwrap().then_some(who) })
    });
    let mut winners = Vec::new();
    for created in tries.collect::<Vec<_>>() {
        winners.extend(created.await.unwrap());
    }
    let bytes = store.objects().get(path).await.unwrap().bytes().await.unwrap();
    assert!(bytes.len() == 3000 && bytes.iter().all(|byte| *byte == bytes[0]), "two writers' bytes in one object");
    (winners, bytes[0])
}

#[test]
fn an_object_is_created_once_however_many_try() {
    let Some(server) = S3Server::start(&[BUCKET]) else { return };
    let store = store(&server);
    Runtime::new().unwrap().block_on(async {
        for round in 0..20 {
            let (winners, there) = race(&store, &Path::from(format!("catalogue/{round:020}.json"))).await;
            assert_eq!(winners, [there], "round {round}");
        }
    });
}

#[test]
fn a_listing_of_many_pages_has_every_object() {
    let Some(server) = S3Server::start(&[BUCKET]) else { return };
    let folder = server.bucket_folder(BUCKET).join("segments/a%2Fb c");
    fs::create_dir_all(&folder).unwrap();
    (0..MORE_THAN_A_PAGE).for_each(|index| fs::write(folder.join(format!("{index:04}.tar")), [1]).unwrap());
    let listing = bucket(&server);
    let below = Path::parse("segments/a%2Fb c").unwrap();
    let objects = Runtime::new().unwrap().block_on(listing.list_with_delimiter(Some(&below))).unwrap().objects;
    let mut paths: Vec<String> = objects.iter().map(|object| object.location.to_string()).collect();
    paths.sort();
    paths.dedup();
    assert_eq!(paths.len(), MORE_THAN_A_PAGE);
    assert_eq!(paths[0], "segments/a%2Fb c/0000.tar");
}

#[test]
fn an_object_in_parts_is_there_as_a_whole_and_can_be_read_in_ranges() {
    let Some(server) = S3Server::start(&[BUCKET]) else { return };
    let (bucket, path) = (bucket(&server), Path::from("tables/large.parquet"));
    let part = |byte: u8| PutPayload::from(vec![byte; 5 << 20]);
    let range = Runtime::new().unwrap().block_on(async {
        let mut upload = bucket.put_multipart(&path).await.unwrap();
        upload.put_part(part(1)).await.unwrap();
        assert!(bucket.head(&path).await.is_err(), "half of it is there");
        upload.put_part(part(2)).await.unwrap();
        upload.complete().await.unwrap();
        bucket.get_range(&path, (5 << 20) - 2..(5 << 20) + 2).await.unwrap()
    });
    assert_eq!(range.as_ref(), [1, 1, 2, 2]);
}

#[test]
fn a_store_that_is_away_is_an_error_and_then_has_what_it_had() {
    let Some(mut server) = S3Server::start(&[BUCKET]) else { return };
    let (store, path) = (store(&server), Path::from("catalogue/1.json"));
    let runtime = Runtime::new().unwrap();
    assert!(runtime.block_on(store.create(&path, vec![1])).unwrap());
    server.stop();
    let error = runtime.block_on(store.create(&path, vec![2])).unwrap_err();
    assert!(error.to_string().starts_with("s3://fleet: "), "{error}");
    server.start_again();
    assert!(!runtime.block_on(store.create(&path, vec![2])).unwrap(), "it is there");
}
