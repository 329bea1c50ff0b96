//! Why the engine `kernel` cannot be used on this machine, and what to do.

use crate::error::KernelError;
use crate::host;
use crate::process::Process;
use std::fmt;
use std::fs;
use std::path::Path;

/// The first kernel with everything that the BPF programs use. `bpf_task_pt_regs` is the newest (Linux 5.15). Kernels from
/// 6.1 on are tested.
pub(crate) const FIRST_KERNEL: (u32, u32) = (5, 15);

/// The types of the running kernel, which BPF programs need.
pub(crate) const KERNEL_TYPES: &str = "/sys/kernel/btf/vmlinux";

/// Why the engine is not available, and what to do. Both are parts of sentences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Obstacle {
    pub(crate) reason: String,
    pub(crate) remedy: &'static str,
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.reason, self.remedy)
    }
}

impl Obstacle {
    fn new(reason: impl Into<String>, remedy: &'static str) -> Self {
        Self { reason: reason.into(), remedy }
    }

    /// The user requested another engine.
    pub(crate) fn other_engine() -> Self {
        Self::new("another engine was requested", "request the engine kernel")
    }

    /// Calls `load`, which loads the programs. Without the needed rights, the kernel refuses the first request with an error that
    /// does not name the rights.
    ///
    /// # Errors
    /// An obstacle is known before, or loading fails.
    pub(crate) fn or<T>(load: impl FnOnce() -> Result<T, KernelError>) -> Result<T, Self> {
        let facts = Facts::here();
        match facts.known() {
            Some(obstacle) => Err(obstacle),
            None => load().map_err(|error| facts.of_error(&error.to_string())),
        }
    }
}

/// What decides on this machine.
struct Facts {
    kernel: Option<(u32, u32)>,
    has_types: bool,
    sees_all_processes: bool,
    is_root: bool,
    /// Whether whittle has the capabilities for BPF programs that observe the kernel.
    has_capabilities: bool,
    /// False in a container with its own users, where rights mean less.
    is_in_first_user_namespace: bool,
    /// True if the kernel's lockdown forbids reading the kernel's memory, for root as well.
    is_confidential: bool,
}

impl Facts {
    fn here() -> Self {
        let own = Process(std::process::id());
        let status = own.status();
        let lockdown = fs::read_to_string("/sys/kernel/security/lockdown").unwrap_or_default();
        Self {
            kernel: host::kernel_version(),
            has_types: Path::new(KERNEL_TYPES).exists(),
            sees_all_processes: own.is_in_first_pid_namespace(),
            is_in_first_user_namespace: own.is_in_first_user_namespace() == Some(true),
            is_root: rustix::process::geteuid().is_root(),
            has_capabilities: status.is_ok_and(|status| status.has_bpf() && status.has_perfmon()),
            is_confidential: lockdown.contains("[confidentiality]"),
        }
    }

    fn known(&self) -> Option<Obstacle> {
        if !self.has_types {
            return Some(Obstacle::new(
                format!("the kernel does not describe its types: {KERNEL_TYPES} is missing"),
                "use a kernel with CONFIG_DEBUG_INFO_BTF",
            ));
        }
        let apart = "whittle runs in a separate pid namespace, so its process ids differ from the kernel's";
        let remedy = "run whittle on the host, or in a container with `--pid host --cap-add BPF --cap-add PERFMON` (in a pod: \
                      `hostPID: true` and these capabilities)";
        (!self.sees_all_processes).then(|| Obstacle::new(apart, remedy))
    }

    /// An old kernel is known only after it has failed: distributions add new functions to old kernels.
    fn of_error(&self, error: &str) -> Obstacle {
        let is_refusal = ["Operation not permitted", "Permission denied"].iter().any(|refusal| error.contains(refusal));
        if self.is_confidential {
            return Obstacle::new(
                format!("the kernel is locked down (`confidentiality`), so no program reads its memory ({error})"),
                "start the machine with `lockdown=integrity`, or without lockdown",
            );
        }
        // The kernel also says "Permission denied" if it does not accept a program.
        match (self.has_capabilities, self.is_root) {
            (true, _) if !self.is_in_first_user_namespace && is_refusal => Obstacle::new(
                format!("whittle's rights are only valid in a user namespace ({error})"),
                "run whittle on the host, or in a container that has the host's users",
            ),
            (true, _) => self.of_other_error(error, is_refusal),
            (false, _) if !is_refusal => self.of_other_error(error, is_refusal),
            (false, true) => Obstacle::new(
                "root has no CAP_BPF and CAP_PERFMON here",
                "in a container, add `--cap-add BPF --cap-add PERFMON --pid host`",
            ),
            (false, false) => Obstacle::new(
                "the kernel does not allow whittle to load them",
                "run whittle as root, or `sudo setcap cap_bpf,cap_perfmon,cap_sys_ptrace,cap_syslog=ep` on whittle's file; \
                 in a container add --cap-add BPF --cap-add PERFMON --pid host",
            ),
        }
    }

    /// The obstacle if whittle has the rights, or if the kernel does not speak of rights.
    fn of_other_error(&self, error: &str, is_refusal: bool) -> Obstacle {
        match self.kernel.filter(|version| *version < FIRST_KERNEL) {
            Some((version, sublevel)) => {
                let (first, first_sublevel) = FIRST_KERNEL;
                let reason = format!(
                    "the kernel is too old for them: this is Linux {version}.{sublevel}, and they need \
                     {first}.{first_sublevel} ({error})"
                );
                Obstacle::new(reason, "use a newer kernel")
            }
            None if is_refusal => Obstacle::new(
                format!("the kernel refuses them although whittle has the rights ({error})"),
                "in a container, add `--security-opt seccomp=unconfined`; otherwise look for a seccomp filter or a security \
                 module that forbids the system call `bpf`",
            ),
            None => Obstacle::new(error, "please report this, with the output of `whittle doctor`"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: Facts = Facts {
        kernel: Some((6, 12)),
        has_types: true,
        sees_all_processes: true,
        is_root: true,
        has_capabilities: true,
        is_in_first_user_namespace: true,
        is_confidential: false,
    };

    #[test]
    fn what_no_rights_can_mend_is_told_as_such() {
        assert_eq!(ROOT.known(), None);
        let error = |kernel| Facts { kernel, ..ROOT }.of_error("map `lives`: EINVAL").to_string();
        assert_eq!(
            error(Some((5, 10))),
            "the kernel is too old for them: this is Linux 5.10, and they need 5.15 (map `lives`: EINVAL); use a newer kernel"
        );
        for kernel in [Some((5, 15)), None] {
            assert!(error(kernel).starts_with("map `lives`: EINVAL; please report this"), "{kernel:?}");
        }
        let without_types = Facts { has_types: false, ..ROOT }.known().unwrap().to_string();
        assert!(without_types.contains("CONFIG_DEBUG_INFO_BTF"), "{without_types}");
        let inside = Facts { sees_all_processes: false, ..ROOT }.known().unwrap().to_string();
        assert!(inside.contains("--pid host"), "{inside}");
    }

    #[test]
    fn root_is_not_advised_to_run_as_root() {
        let refused = "bpf: Operation not permitted (os error 1)";
        let remedy = |facts: Facts| facts.of_error(refused).remedy;
        assert!(remedy(Facts { is_root: false, has_capabilities: false, ..ROOT }).starts_with("run whittle as root"));
        for (facts, part) in [
            (Facts { has_capabilities: false, ..ROOT }, "--cap-add BPF"),
            (Facts { is_confidential: true, ..ROOT }, "lockdown=integrity"),
            (Facts { is_in_first_user_namespace: false, ..ROOT }, "the host's users"),
            (ROOT, "seccomp"),
        ] {
            let remedy = remedy(facts);
            assert!(remedy.contains(part) && !remedy.contains("as root"), "{remedy}");
        }
    }

    /// The kernel's verifier, and not its check of rights, can answer "Permission denied" or "Invalid argument".
    #[test]
    fn a_refused_program_is_not_taken_for_missing_rights() {
        let old = Facts { kernel: Some((5, 10)), ..ROOT }.of_error("program `tick`: Permission denied").reason;
        assert!(old.contains("too old") && old.contains("program `tick`: Permission denied"), "{old}");
        let locked = Facts { is_confidential: true, ..ROOT }.of_error("program `tick`: Invalid argument").reason;
        assert!(locked.contains("locked down"), "{locked}");
    }
}
