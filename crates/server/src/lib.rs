//! The analyzer over HTTP, on the loopback interface only.
//!
//! ```text
//! browser ── GET / ──────────────────────────> the page, embedded
//!         ── POST /api/answer?experiment=N ──> the engine, on a thread of its own ──> JSON or typed arrays
//!         ── GET /api/experiments ───────────> what can be asked
//!         ── GET /api/verification ──────────> what `whittle verify` wrote, or null
//!         ── GET /api/others ────────────────> prefixes of OtherRoutes, for the page to know what else it may ask
//!         ── /api/live/… ────────────────────> a LiveCollector of the front end
//!         ── /api/PREFIX/… ──────────────────> OtherRoutes of the front end
//! ```
//!
//! Profiles hold what programs do and where their code lies; other users of the machine and other pages in the
//! same browser must not read them. Every request passes [`guard`](guard::Guard) first. Nothing here reads files of
//! a profile or starts collections: the front end hands in loaded profiles and a [`LiveCollector`].

mod experiments;
mod guard;
mod live;
mod other_routes;
mod page;
mod patient;
mod problem;
mod routes;
mod server;
mod token;

pub use experiments::{Experiments, Reload, Served, Source};
pub use live::{
    LiveCollection, LiveCollector, LiveError, LiveProcess, LiveProcessKind, LiveProcesses, LiveState, StartRequest,
    WantedProcesses,
};
pub use other_routes::{OtherError, OtherRequest, OtherRoutes};
pub use page::{ANALYZER_HTML, ENGINE_LZMA, REPORT_HTML, hashes};
pub use server::{Analyzer, Limits, Server, ServerError, StopHandle};
