//! `whittle-fleet serve` shows the fleet in the browser.

use crate::command::asked::{StoreArguments, WhoseArguments};
use crate::command::{Failure, output};
use clap::Args;
use std::sync::Arc;
use tokio::runtime::Handle;
use whittle_fleet::cost::Price;
use whittle_fleet::question::TimeRange;
use whittle_fleet::serve::FleetRoutes;
use whittle_server::{Analyzer, Experiments, Limits, Server};

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  whittle-fleet serve --store /var/lib/whittle --service checkout --since 24h\n\n\
    Do not share the address: it gives access to all profiles of the fleet. The server listens on this machine \
    only; Ctrl-C ends the server.")]
pub(crate) struct ServeArguments {
    #[command(flatten)]
    store: StoreArguments,
    /// The query settings that the page shows first; the page can change all settings
    #[command(flatten)]
    whose: WhoseArguments,
    /// Port to listen on; 0: any free port
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Price of a core for an hour
    #[arg(long, value_name = "PRICE", default_value_t = Price::default().per_core_hour)]
    price: f64,
}

/// Serves the page until the user interrupts the program.
pub(crate) async fn run(arguments: &ServeArguments) -> Result<(), Failure> {
    let fleet = Arc::new(arguments.store.open()?);
    // An invalid time is reported here, not in the browser.
    let time = arguments.whose.part.time()?;
    let experiments = Arc::new(Experiments::default());
    let price = Price { per_core_hour: arguments.price };
    let routes = FleetRoutes::new(fleet, Arc::clone(&experiments), (Handle::current(), price));
    let analyzer = Analyzer { experiments, live: None, verification: None, others: vec![Arc::new(routes)] };
    let server = Server::bind(arguments.port, analyzer, Limits::default())?;
    output::print(format!("{}{}\n", server.url(), state(&arguments.whose, time)).as_bytes())?;
    output::note("the fleet is at the address above; Ctrl-C ends the server");
    Ok(tokio::task::spawn_blocking(|| server.run()).await??)
}

/// The page's state with these query settings, in the format of the page's address.
fn state(WhoseArguments { service, part }: &WhoseArguments, time: TimeRange) -> String {
    let labels: Vec<String> = part.place.label.iter().map(|label| format!("{}={}", label.name, label.value)).collect();
    let lists = [
        ("service", service),
        ("version", &part.version),
        ("host", &part.place.host),
        ("region", &part.place.region),
        ("label", &labels),
    ];
    let mut words: Vec<(&str, String)> = lists.map(|(name, values)| (name, list(values))).into();
    // If the address has no start, the page starts one hour before now, even if the end is earlier. So if only the end
    // is set, the start is added to the address.
    let [start, end] = time.moments();
    let (since, until) = match (&part.since, part.until.as_deref().filter(|until| *until != "now")) {
        (None, Some(_)) => (start, end),
        (since, until) => (since.clone().unwrap_or_default(), until.unwrap_or_default().to_owned()),
    };
    words.extend([("since", since), ("until", until)]);
    let mut address = reqwest::Url::parse("http://fleet/").expect("an address");
    let chosen = words.iter().filter(|(_, value)| !matches!(value.as_str(), "" | "1h" | "now"));
    address.query_pairs_mut().extend_pairs(chosen.map(|(name, value)| (format!("o.fleet.{name}"), value)));
    format!("/fleet?{}", address.query().unwrap_or_default()).trim_end_matches('?').to_owned()
}

/// Joins values with commas. Commas inside values are escaped.
fn list(values: &[String]) -> String {
    let escaped = |value: &String| value.replace('%', "%25").replace(',', "%2C");
    values.iter().map(escaped).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{Arguments, Command};
    use clap::Parser;

    fn state_of(words: &[&str]) -> String {
        let words = ["whittle-fleet", "serve", "--store", "s"].into_iter().chain(words.iter().copied());
        match Arguments::parse_from(words).command {
            Command::Serve(arguments) => state(&arguments.whose, arguments.whose.part.time().expect("a time")),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_address_has_the_choice() {
        assert_eq!(state_of(&[]), "/fleet");
        let words = ["--service", "shop,a b", "--version", "1%", "--label", "zone=a", "--since", "24h"];
        let expected =
            "/fleet?o.fleet.service=shop%2Ca+b&o.fleet.version=1%2525&o.fleet.label=zone%3Da&o.fleet.since=24h";
        assert_eq!(state_of(&words), expected);
        let expected = "/fleet?o.fleet.since=2026-11-21T23%3A00%3A00&o.fleet.until=2026-11-22T00%3A00%3A00";
        assert_eq!(state_of(&["--until", "2026-11-22"]), expected);
        assert_eq!(state_of(&["--until", "now"]), "/fleet", "the last hour, whenever the page is looked at");
        assert_eq!(state_of(&["--until", "1h"]).matches("T").count(), 2, "two moments, which do not drift apart");
    }
}
