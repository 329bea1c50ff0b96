//! Tools for tests: experiments drawn as text, random experiments, seeded numbers, third-party servers, tests that
//! could not run, CPU time that the host of a virtual machine took.
//!
//! Only tests use this crate. A wrong drawing causes a panic with the error.

mod drawn;
mod exact;
mod jdk;
mod native;
mod not_run;
mod peak_memory;
mod random;
mod s3;
mod seeded;
mod stolen;
mod test_server;
mod thread_cpu;
mod trino;

pub use drawn::{experiment_from_text, experiment_of_two_threads};
pub use exact::{add_thread_states, experiment_with_calls};
pub use jdk::{Jdk, any_jdk, has_jdk, jdk_of_version, jdks, workloads_class_path};
pub use native::native_workload;
pub use not_run::{has_reference_folder, not_run, reference_folder};
pub use peak_memory::peak_memory_of;
pub use random::{RandomSample, RandomShape, experiment_from_samples, random_samples};
pub use s3::S3Server;
pub use seeded::Seeded;
pub use stolen::MachineTime;
pub use thread_cpu::ThreadCpu;
pub use trino::{Trino, TrinoAnswer, TrinoSetup, TrinoTuning};
