//! The embedded files of whittle's agent, which changes classes of a JVM (`--instrument`).

/// The Java agent.
pub(crate) const JAR: &[u8] = include_bytes!("../hook/whittle-agent.jar");

/// The Java agent for trials: the bytes of its jar. A JVM loads it with `-javaagent`.
pub fn java_agent() -> &'static [u8] {
    JAR
}

/// The name of the Java agent's file.
pub(crate) const JAR_NAME: &str = "whittle-agent.jar";

/// The library with the native methods of the Java agent, for this architecture.
#[cfg(target_arch = "x86_64")]
pub(crate) const HOOK: &[u8] = include_bytes!("../hook/whittle-hook.x86_64.so");
#[cfg(target_arch = "aarch64")]
pub(crate) const HOOK: &[u8] = include_bytes!("../hook/whittle-hook.aarch64.so");

/// The name of the library's file.
pub(crate) const HOOK_NAME: &str = "whittle-hook.so";

/// True if the class, with slashes between packages, is of the agent. The program and the JDK have no file of this class.
pub(crate) fn is_agent_class(name: &str) -> bool {
    name.starts_with("whittle/agent/") || name.starts_with("java/whittle/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_files_are_a_jar_and_a_library() {
        assert!(is_agent_class("whittle/agent/Agent") && !is_agent_class("whittle/workloads/Agent"));
        assert_eq!((&JAR[..4], &HOOK[..4]), (&b"PK\x03\x04"[..], &b"\x7fELF"[..]));
    }
}
