//! The hosts of the demo. Each host is a process that sends its segments to the landing. The intake runs at the same
//! time.

use super::now_ns;
use crate::command::{Failure, output};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use whittle_experiment::Store;
use whittle_fleet::catalogue::Catalogue;
use whittle_fleet::demo::Recording;
use whittle_fleet::intake::{Intake, IntakeOptions, Taken};

/// The time between two rounds of the intake.
const ROUND: Duration = Duration::from_millis(300);

/// Starts a process for each host, and runs the intake until all hosts have landed all segments.
pub(super) async fn take_in(store: &Arc<Store>, recording: &Recording, segment_count: usize) -> Result<Taken, Failure> {
    let mut hosts = Hosts::start(store, recording)?;
    output::note(&format!("{} hosts send their segments, each in a separate process", hosts.running.len()));
    let mut intake = Intake::new(Catalogue::new(Arc::clone(store)), IntakeOptions::default());
    let mut all = Taken::default();
    loop {
        // If a host is still running here, there is another round. So the last round loads all remaining segments.
        let is_last = hosts.have_ended()?;
        let taken = intake.run(now_ns() / 1_000_000_000).await?;
        let has_new = taken.segment_count > 0;
        all.add(taken);
        if has_new {
            output::note(&format!(
                "{} of {segment_count} segments are in the tables; {} hosts still send",
                all.segment_count,
                hosts.running.len()
            ));
        }
        if is_last {
            return all_once(all, segment_count);
        }
        tokio::time::sleep(ROUND).await;
    }
}

/// Returns an error unless each segment was loaded exactly once.
fn all_once(taken: Taken, segment_count: usize) -> Result<Taken, Failure> {
    let Taken { segment_count: count, known_count, ref refused, ahead_count, collision_count, .. } = taken;
    let is_as_it_must_be =
        count == segment_count as u64 && [known_count, refused.len() as u64, ahead_count, collision_count] == [0; 4];
    let failure = || Failure {
        message: format!("{segment_count} segments were sent, but {taken:?}; this is a bug in whittle-fleet"),
        exit_code: 1,
    };
    if is_as_it_must_be { Ok(taken) } else { Err(failure()) }
}

/// The processes of the hosts. If the demo fails, these processes are killed.
struct Hosts {
    running: Vec<(String, Child)>,
}

impl Hosts {
    fn start(store: &Store, recording: &Recording) -> Result<Self, Failure> {
        let program = std::env::current_exe()?;
        let mut hosts = Self { running: Vec::new() };
        for host in &recording.hosts {
            let mut process = Command::new(&program);
            process.args(["demo-host", host, "--store", store.location()]);
            process.arg("--moved-ns").arg(recording.moved_ns.to_string());
            let child = process.stdin(Stdio::null()).stdout(Stdio::null()).spawn()?;
            hosts.running.push((host.clone(), child));
        }
        Ok(hosts)
    }

    /// Whether all processes have ended. A failed process is an error.
    fn have_ended(&mut self) -> Result<bool, Failure> {
        let mut ended = Vec::with_capacity(self.running.len());
        for (host, child) in &mut self.running {
            let status = child.try_wait()?;
            if let Some(status) = status.filter(|status| !status.success()) {
                return Err(Failure { message: format!("the process of host {host}: {status}"), exit_code: 1 });
            }
            ended.push(status.is_some());
        }
        let mut ended = ended.into_iter();
        self.running.retain(|_| ended.next() == Some(false));
        Ok(self.running.is_empty())
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        for (_, child) in &mut self.running {
            // The process may have ended in the meantime.
            let _ = child.kill().and_then(|()| child.wait());
        }
    }
}
