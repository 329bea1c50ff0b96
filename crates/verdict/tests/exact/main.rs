//! Verdicts on runs and fleets with a known truth.

mod fleet_simulation;
mod regressions;
mod simulation;
mod verify;
