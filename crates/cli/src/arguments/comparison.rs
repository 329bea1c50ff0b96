//! The options of a comparison: the experiments to compare, and how their values are made comparable.

use clap::Args;
use std::path::PathBuf;
use whittle_profile::compare::Rename;
use whittle_profile::sides::Per;

/// The experiments to compare with.
#[derive(Debug, Clone, Args)]
#[command(mut_arg("per", |per| per.requires("baseline")), mut_arg("rename", |rename| rename.requires("baseline")))]
pub(crate) struct AgainstArguments {
    /// Compare with this experiment of the old program; repeat the option to add more runs
    #[arg(long, value_name = "EXPERIMENT")]
    pub(crate) baseline: Vec<PathBuf>,
    /// Add a run of the new program to the comparison; can be repeated
    #[arg(long, value_name = "EXPERIMENT", requires = "baseline")]
    pub(crate) and: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) measure: MeasureArguments,
}

/// How the sides of a comparison are made comparable.
#[derive(Debug, Clone, Args)]
pub(crate) struct MeasureArguments {
    /// In a comparison: show values per unit of work with this name, or per second, cpu-second or run [default: the
    /// first unit of work that both sides have, otherwise second]
    #[arg(long, value_name = "UNIT")]
    pub(crate) per: Option<Per>,
    /// In a comparison: match a class or package that the candidate renamed; can be repeated
    #[arg(long, value_name = "OLD=NEW")]
    pub(crate) rename: Vec<Rename>,
}
