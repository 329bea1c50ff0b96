//! Tools for tests: experiments drawn as text, random experiments, tests that could not run.
//!
//! Used by tests only; a wrong drawing panics with what is wrong in it.

mod drawn;
mod exact;
mod jdk;
mod native;
mod not_run;
mod random;

pub use drawn::experiment_from_text;
pub use exact::{add_thread_states, experiment_with_calls};
pub use jdk::{Jdk, any_jdk, jdks, workloads_class_path};
pub use native::native_workload;
pub use not_run::{not_run, reference_folder};
pub use random::{RandomSample, RandomShape, experiment_from_samples, random_samples};
