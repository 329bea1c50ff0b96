//! The data that a server serves, and the limits for its clients.

use crate::experiments::Experiments;
use crate::live::LiveCollector;
use crate::other_routes::OtherRoutes;
use std::sync::Arc;
use std::time::Duration;

/// The data of a server.
#[derive(Clone)]
pub struct Analyzer {
    /// The open experiments.
    pub experiments: Arc<Experiments>,
    /// Starts and stops live collections. Missing: live collection is not available.
    pub live: Option<Arc<dyn LiveCollector>>,
    /// The result of `whittle verify`, one JSON object. Missing: no verification is open.
    pub verification: Option<Arc<str>>,
    /// Further routes, with different prefixes.
    pub others: Vec<Arc<dyn OtherRoutes>>,
}

/// Limits for a client.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Maximum length of a request's body. Requests contain names, filters and lists of tree nodes.
    pub body_bytes: usize,
    /// Time limit for a request's header, for its body and for each write of its response.
    pub patience: Duration,
    /// Maximum number of connections. Further clients wait. A browser opens six connections.
    pub connections: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { body_bytes: 1 << 20, patience: Duration::from_secs(10), connections: 64 }
    }
}
