//! Tests which services a client can push: the rights of access tokens, and the file with the tokens.

use crate::support::loopback::{Answer, Loopback, landed, start};
use crate::support::pushed::{EXPORT, OTLP_4_6, field, of_resource};
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use whittle_push::{Access, AllowedServices, PushOptions, PushToken, TokenFileError, read_tokens};

const GO_CPU: &[u8] = include_bytes!("../../../import/tests/fixtures/foreign/go-cpu.pb.gz");

/// The header of the client that can push the shop's services.
const SHOP: (&str, &str) = ("authorization", "Bearer of-the-shop");
/// The header of the client that can push every service.
const ALL: (&str, &str) = ("authorization", "Bearer of-all");

fn token(secret: &str, services: AllowedServices) -> PushToken {
    PushToken { secret: secret.to_owned(), labels: BTreeMap::new(), services }
}

fn two_tokens() -> PushOptions {
    let shop = token("of-the-shop", AllowedServices::parse("shop,shop-*").unwrap());
    let access = Access::Tokens(vec![shop, token("of-all", AllowedServices::All)]);
    PushOptions { access, ..PushOptions::default() }
}

fn ingest(loopback: &Loopback, service: &str, token: (&str, &str)) -> Answer {
    let path = format!("/ingest?name={service}%7Bhost%3Da%7D&from=1795251041&until=1795251051&format=pprof");
    loopback.post(&path, &[token], GO_CPU)
}

fn services(folder: &Path) -> Vec<String> {
    let landed = landed(folder);
    let mut services: Vec<String> =
        landed.iter().map(|(_, segment)| segment.manifest.label("service").to_owned()).collect();
    services.sort();
    services
}

/// The pprof profile as a push to the newer service of Pyroscope.
fn series(service: &str) -> Vec<u8> {
    let label = field(1, &[field(1, b"service_name"), field(2, service.as_bytes())].concat());
    field(1, &[label, field(2, &field(1, GO_CPU))].concat())
}

#[test]
fn a_token_pushes_only_its_services() {
    let (folder, loopback) = start(two_tokens());
    assert_eq!(ingest(&loopback, "shop", SHOP).status, 200);
    assert_eq!(ingest(&loopback, "shop-eu", SHOP).status, 200);
    let refused = ingest(&loopback, "payments", SHOP);
    let text = String::from_utf8(refused.body).unwrap();
    assert_eq!(refused.status, 403);
    assert!(text.contains("the service \"payments\"") && text.contains("add push:payments"), "{text}");
    assert_eq!(services(folder.path()), ["shop", "shop-eu"]);
    assert_eq!(ingest(&loopback, "payments", ALL).status, 200);
}

/// A label of the profile must not replace the checked name.
#[test]
fn the_service_in_a_label_counts_and_not_the_name() {
    let (folder, loopback) = start(two_tokens());
    assert_eq!(ingest(&loopback, "shop%7Bservice_name%3Dpayments%2C", SHOP).status, 403);
    assert_eq!(ingest(&loopback, "shop%7Bservice%3Dpayments%2C", SHOP).status, 403);
    assert!(services(folder.path()).is_empty());
}

#[test]
fn all_protocols_check_the_service() {
    let (folder, loopback) = start(two_tokens());
    let pusher = "/push.v1.PusherService/Push";
    let plain = ("content-type", "application/proto");
    let refused = loopback.post(pusher, &[plain, SHOP], &series("payments"));
    let error: serde_json::Value = serde_json::from_slice(&refused.body).unwrap();
    assert_eq!((refused.status.as_u16(), &error["code"]), (403, &"permission_denied".into()));
    assert_eq!(loopback.call(pusher, &[SHOP], &series("payments")).grpc_status(), "7");
    let otlp = "/v1development/profiles";
    let of = |service: &str| of_resource(OTLP_4_6, &[("service.name", service)]);
    assert_eq!(loopback.post(otlp, &[SHOP], &of("payments")).status, 403);
    assert_eq!(loopback.post(&format!("{otlp}?service=payments"), &[SHOP], OTLP_4_6).status, 403);
    assert_eq!(loopback.post(otlp, &[SHOP], OTLP_4_6).status, 403, "without a name, the service is unknown_service");
    let refused = loopback.call(EXPORT, &[SHOP], &of("payments"));
    assert!(refused.grpc_status() == "7" && refused.header("grpc-message").contains("payments"), "{refused:?}");
    assert!(services(folder.path()).is_empty());
    assert_eq!(loopback.call(pusher, &[SHOP], &series("shop")).grpc_status(), "0");
    assert_eq!(loopback.call(EXPORT, &[SHOP], &of("shop-eu")).grpc_status(), "0");
}

/// A part of a request would be hard to repeat, so the request is refused as a whole.
#[test]
fn a_request_with_one_foreign_service_stores_nothing() {
    let (folder, loopback) = start(two_tokens());
    let request = [series("shop"), series("payments")].concat();
    assert_eq!(loopback.post("/push.v1.PusherService/Push", &[SHOP], &request).status, 403);
    let request =
        [of_resource(OTLP_4_6, &[("service.name", "shop")]), of_resource(OTLP_4_6, &[("service.name", "payments")])];
    assert_eq!(loopback.post("/v1development/profiles", &[SHOP], &request.concat()).status, 403);
    assert!(services(folder.path()).is_empty());
}

#[test]
fn a_push_that_another_token_has_sent_is_checked_too() {
    let (_folder, loopback) = start(two_tokens());
    assert_eq!(ingest(&loopback, "payments", ALL).status, 200);
    assert_eq!(ingest(&loopback, "payments", SHOP).status, 403);
    assert_eq!(loopback.receiver.counts().repeated, 0);
}

#[test]
fn a_file_of_tokens_is_for_its_owner_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokens");
    std::fs::write(&path, "# agents\nof-the-shop push:shop,shop-*\nof-all region=eu\n").unwrap();
    for mode in [0o644, 0o640, 0o604, 0o620, 0o601] {
        std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
        let refused = read_tokens(&path).unwrap_err();
        assert!(refused.to_string().contains("chmod 600"), "{refused}");
        assert!(matches!(refused, TokenFileError::NotPrivate { mode: found, .. } if found == mode), "{refused:?}");
    }
    for mode in [0o600, 0o400] {
        std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
        let access = read_tokens(&path).unwrap();
        let (_store, loopback) = start(PushOptions { access, ..PushOptions::default() });
        assert_eq!(ingest(&loopback, "payments", SHOP).status, 403);
        assert_eq!(ingest(&loopback, "payments", ALL).status, 200);
    }
}
