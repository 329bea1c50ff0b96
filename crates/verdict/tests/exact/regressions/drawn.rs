//! Fleets drawn as text.
//!
//! ```text
//! host    version   cpu                 app.A.f()       app.B.g()      milliseconds of CPU, by period or one for all
//! web-1   1*22      1000,1000,1100,0    10,10,20,20     5
//! ```
//!
//! A sample is one millisecond. `1` is the old version, `2` is the new version, and `*` is a period with both versions.
//! Zero CPU means that the host was not seen. If the last column is named `units`, it contains units of work. 0 means
//! unknown.

use whittle_verdict::regressions::{FleetCosts, FunctionCosts, HostCosts, HostPeriod, Upgrade, domain_of};

pub(crate) const NANOS_A_MS: f64 = 1e6;

/// The drawn fleet.
pub(crate) fn fleet(text: &str) -> FleetCosts {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let names: Vec<&str> = lines.next().expect("a line of names").split_whitespace().skip(3).collect();
    let named = names.iter().filter(|name| **name != "units");
    let mut functions: Vec<FunctionCosts> = named.map(|name| function(name, Vec::new())).collect();
    let hosts: Vec<HostCosts> = lines.map(|line| host(line, &names, &mut functions)).collect();
    FleetCosts { period_count: hosts.first().map_or(0, |host| host.periods.len()), hosts, functions }
}

/// A function in the domain of its name.
pub(crate) fn function(name: &str, cost_ns: Vec<f64>) -> FunctionCosts {
    FunctionCosts { name: name.to_owned(), domain: domain_of(name).map(str::to_owned), cost_ns }
}

fn host(line: &str, names: &[&str], functions: &mut [FunctionCosts]) -> HostCosts {
    let columns: Vec<&str> = line.split_whitespace().collect();
    let versions = columns[1];
    let cpu = amounts(columns[2], versions.len());
    let mut units = vec![None; versions.len()];
    for (position, name) in names.iter().enumerate() {
        let amounts = amounts(columns[3 + position], versions.len());
        if *name == "units" {
            units = amounts.iter().map(|amount| (*amount > 0.0).then_some(*amount)).collect();
        } else {
            functions[position].cost_ns.extend(amounts.iter().map(|amount| amount * NANOS_A_MS));
        }
    }
    let period =
        |(cpu, units): (&f64, &Option<f64>)| HostPeriod { cpu_ns: cpu * NANOS_A_MS, samples: *cpu, units: *units };
    HostCosts {
        host: columns[0].to_owned(),
        upgrade: upgrade(versions),
        periods: cpu.iter().zip(&units).map(period).collect(),
    }
}

/// One amount for all periods, or one amount for each.
fn amounts(text: &str, count: usize) -> Vec<f64> {
    let all: Vec<f64> = text.split(',').map(|number| number.parse().expect("a number")).collect();
    if all.len() == 1 { vec![all[0]; count] } else { all }
}

fn upgrade(versions: &str) -> Option<Upgrade> {
    let to = versions.find('2')?;
    Some(Upgrade { from: versions.find('*').unwrap_or(to), to })
}
