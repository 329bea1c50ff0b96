//! The analyzer over HTTP, on the loopback interface only.
//!
//! ```text
//! browser ── GET / ──────────────────────────> the page, embedded
//!         ── POST /api/answer?experiment=N ──> the engine, on a separate thread ──> JSON or typed arrays
//!         ── GET /api/experiments ───────────> the open experiments
//!         ── GET /api/verification ──────────> the result of `whittle verify`, or null
//!         ── GET /api/others ────────────────> prefixes of OtherRoutes, so the page knows which other routes exist
//!         ── /api/live/… ────────────────────> a LiveCollector of the front end
//!         ── /api/PREFIX/… ──────────────────> OtherRoutes of the front end
//! ```
//!
//! Profiles show what programs do and contain paths of code. Other users of the machine and other pages in the same
//! browser must not read profiles. So the [`guard`](guard::Guard) checks every request first. This crate reads no
//! profile files and starts no collections. The front end passes loaded profiles and a [`LiveCollector`].

mod analyzer;
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

pub use analyzer::{Analyzer, Limits};
pub use experiments::{ComparedNumbers, Experiments, Reload, Served, Source};
pub use live::{
    LiveCollection, LiveCollector, LiveError, LiveProcess, LiveProcessKind, LiveProcesses, LiveState, StartRequest,
    WantedProcesses,
};
pub use other_routes::{OtherError, OtherRequest, OtherRoutes};
pub use page::{ANALYZER_HTML, ENGINE_LZMA, REPORT_HTML, REPORT_SCRIPT_LZMA, hashes};
pub use server::{Server, ServerError, StopHandle};
