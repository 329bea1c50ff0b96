//! The two sides of a comparison.

use serde::{Deserialize, Serialize};

/// One of the two sides of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Before.
    Baseline,
    /// After.
    Candidate,
}

impl Side {
    /// Both, the baseline first.
    pub const BOTH: [Self; 2] = [Self::Baseline, Self::Candidate];

    /// The word in text, flags and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::Candidate => "candidate",
        }
    }

    /// The side with a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::BOTH.into_iter().find(|side| side.name() == name)
    }

    /// The one that it is compared with.
    pub const fn other(self) -> Self {
        match self {
            Self::Baseline => Self::Candidate,
            Self::Candidate => Self::Baseline,
        }
    }
}
