//! The design of a comparison, from the command line.

use super::printed_values::Reader;
use crate::arguments::endpoint::EndpointArguments;
use whittle_profile::sides::Better;
use whittle_terminal::Failure;
use whittle_verdict::verify::{Design, MetricDirection, PrimaryEndpoint};

/// The design of the comparison, which is fixed before the first run. `prints`: the programs run, so numbers come from
/// their output.
pub(crate) fn design(
    arguments: &EndpointArguments,
    (reader, prints): (&Reader, bool),
    [baseline, candidate]: [String; 2],
) -> Result<Design, Failure> {
    let mut design = Design::new(baseline, candidate);
    design.endpoint = arguments.endpoint.clone();
    design.margin_ratio = arguments.margin;
    design.unit = arguments.unit.clone().or_else(|| reader.unit());
    let endpoint = match &design.endpoint {
        PrimaryEndpoint::Metric(name) => Some(name.clone()),
        _ => None,
    };
    for (name, better) in &arguments.better {
        let name = name.clone().or_else(|| endpoint.clone());
        let name = name.ok_or_else(|| Failure::usage("--better needs a metric: --better METRIC=larger".to_owned()))?;
        design.better.push(MetricDirection { name, better: *better });
    }
    let names = reader.names();
    if let Some(group) = reader.unit_group().filter(|group| !names.contains(group)) {
        return Err(Failure::usage(format!("--unit-count {group}: --metric has no group of this name")));
    }
    if let Some(name) = endpoint {
        if prints && !names.contains(&name.as_str()) {
            return Err(Failure::usage(format!("--endpoint {name}: wanted cpu, elapsed, or a group of --metric")));
        }
        if design.better(&name) == Better::Unknown {
            return Err(Failure::usage(format!(
                "--endpoint {name}: add the better direction: --better larger or smaller"
            )));
        }
    }
    Ok(design)
}
