//! Recognises native libraries that are not part of the application: libraries of the JDK, the C library and related
//! libraries, the JVM and the profiler.
//!
//! The file name identifies a library. Files inside the JVM's folder `lib` are also recognised by this folder. Folders
//! such as `/usr/lib` are not used, because an application's library can be installed there.

use whittle_model::BinaryTable;

/// File names of the JDK's native libraries, without `lib`, version and `.so`. They identify JDK libraries outside the
/// usual folders, and libraries in recordings that contain only file names.
const JDK: &[&str] = &[
    "awt",
    "awt_headless",
    "awt_xawt",
    "extnet",
    "fontmanager",
    "freetype",
    "instrument",
    "j2gss",
    "j2pcsc",
    "j2pkcs11",
    "jaas",
    "java",
    "javajpeg",
    "jawt",
    "jdwp",
    "jimage",
    "jli",
    "jsig",
    "jsound",
    "jsvml",
    "jvm",
    "le",
    "lcms",
    "management",
    "management_agent",
    "management_ext",
    "mlib_image",
    "net",
    "nio",
    "prefs",
    "rmi",
    "saproc",
    "sctp",
    "simdsort",
    "splashscreen",
    "syslookup",
    "unpack",
    "verify",
    "zip",
];

/// The C and C++ run time, the dynamic linker, and zlib. A JDK without its own zlib uses this zlib.
const RUN_TIME: &[&str] = &[
    "BrokenLocale",
    "anl",
    "c",
    "dl",
    "gcc_s",
    "m",
    "mvec",
    "nsl",
    "nss_compat",
    "nss_dns",
    "nss_files",
    "pthread",
    "resolv",
    "rt",
    "stdc++",
    "util",
    "z",
];

/// Names that do not start with `lib`: the dynamic linker, files that the kernel maps, and the JVM's launcher. In
/// `ld-linux-x86-64`, `-64` looks like a version, so it is left out.
const OTHER: &[&str] = &[
    "ld",
    "ld-linux",
    "ld-linux-x86",
    "ld-linux-aarch64",
    "ld-musl-x86_64",
    "ld-musl-aarch64",
    "linux-vdso",
    "linux-gate",
    "[vdso]",
    "vdso",
    "[vsyscall]",
    "java",
];

/// Part of the file name of the profiler's library.
const PROFILER: &str = "asyncProfiler";

/// Recognises libraries of one experiment.
#[derive(Debug)]
pub struct SystemLibraries {
    /// Folder of the JVM's libraries, with a slash at its end. Missing if the input does not contain this folder.
    jvm_folder: Option<String>,
}

impl SystemLibraries {
    /// Finds the JVM's folder among the binaries: the folder of `server/libjvm.so`.
    pub fn new(binaries: &BinaryTable) -> Self {
        let folder = |path: &String| {
            let server = path.strip_suffix("/libjvm.so")?;
            server.rfind('/').map(|slash| server[..=slash].to_owned())
        };
        Self { jvm_folder: binaries.path.iter().find_map(folder) }
    }

    /// True for libraries that are not part of the application, and for unknown libraries. Unknown libraries are
    /// included because most native frames below Java are in the C library. Expert mode shows these frames.
    pub fn is_system(&self, path: &str) -> bool {
        let is_jvm_file = self.jvm_folder.as_ref().is_some_and(|folder| path.starts_with(folder.as_str()));
        let file_name = path.rsplit('/').next().unwrap_or(path);
        let stem = stem(file_name);
        let is_listed = match stem.strip_prefix("lib") {
            Some(name) => JDK.contains(&name) || RUN_TIME.contains(&name),
            None => OTHER.contains(&stem),
        };
        path.is_empty() || is_jvm_file || is_listed || self.is_profiler(path)
    }

    /// True for the profiler's own library.
    pub fn is_profiler(&self, path: &str) -> bool {
        path.contains(PROFILER)
    }
}

/// A library's file name without version and `.so`: `libc` for `libc.so.6` and `libc-2.31.so`.
fn stem(file_name: &str) -> &str {
    let name = file_name.split(".so").next().unwrap_or(file_name);
    match name.rfind('-') {
        Some(dash) if name[dash + 1..].starts_with(|c: char| c.is_ascii_digit()) => &name[..dash],
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn application_libraries_are_told_from_system_libraries() {
        let mut binaries = BinaryTable::default();
        binaries.path.push("/opt/jdk/lib/server/libjvm.so".to_owned());
        let libraries = SystemLibraries::new(&binaries);
        for system in [
            "/usr/lib/x86_64-linux-gnu/libc.so.6",
            "libc-2.31.so",
            "/lib64/ld-linux-x86-64.so.2",
            "/opt/jdk/lib/libnio.so",
            "/opt/jdk/lib/libvendor.so",
            "libjava.so",
            "[vdso]",
            "vdso",
            "/usr/lib/jvm/java-17/bin/java",
            "/tmp/libasyncProfiler-4.6.so",
            "",
        ] {
            assert!(libraries.is_system(system), "{system}");
        }
        for own in
            ["/usr/lib/libcrypto.so.3", "/srv/app/libfast.so", "/srv/app/server", "libnetty_transport_native_epoll.so"]
        {
            assert!(!libraries.is_system(own), "{own}");
        }
    }
}
