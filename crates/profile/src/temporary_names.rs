//! Parts of names that differ from run to run, although the code, the thread or the file is the same: counters, hashes
//! and random numbers. Comparisons remove them, so both sides have equal names.
//!
//! ```text
//! com/acme/Order$HibernateProxy$k3Xy9Qa1.getId()      com/acme/Order$HibernateProxy$.getId()
//! java/lang/invoke/LambdaForm$MH/1096979270.invoke()   java/lang/invoke/LambdaForm$MH.invoke()     (JDK 8)
//! bpf_prog_6deef7357e7b4530_sd_fw_egress               bpf_prog_sd_fw_egress
//! kafka-admin-client-thread | 3f0c9a52-…               kafka-admin-client-thread | #
//! /tmp/hsperfdata_app/4711                             /tmp/hsperfdata_app/#
//! ```
//!
//! The numbers of hidden classes are removed by [`normalized_name`], which is also part of the identity of stacks.

use std::borrow::Cow;
use whittle_model::normalized_name;
use whittle_model::thread_name::without_numbers;

/// What follows a text in the name of generated code, and is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tail {
    /// Decimal digits.
    Digits,
    /// A word that consists of hexadecimal digits.
    Hex,
    /// Letters and digits.
    Word,
    /// Letters, digits and underscores.
    Words,
}

/// Texts in names of generated code, and what follows them.
const GENERATED: [(&str, Tail); 22] = [
    // Proxies of Spring, Guice, Byte Buddy, Mockito, Hibernate and Javassist.
    ("CGLIB$$", Tail::Hex),
    ("$$FastClass$$", Tail::Hex),
    ("ByGuice$$", Tail::Hex),
    ("$ByteBuddy$", Tail::Word),
    ("$auxiliary$", Tail::Word),
    ("$MockitoMock$", Tail::Hex),
    ("$HibernateProxy$", Tail::Word),
    ("$HibernateBasicProxy$", Tail::Word),
    ("$HibernateInstantiator$", Tail::Word),
    ("$HibernateAccessOptimizer$", Tail::Word),
    ("_$$_jvst", Tail::Words),
    ("_$$_javassist_", Tail::Digits),
    // Accessors of Jackson's module Afterburner.
    ("Access4JacksonSerializer", Tail::Hex),
    ("Access4JacksonDeserializer", Tail::Hex),
    // The JDK. A dynamic module with proxies has a number, too.
    ("GeneratedSerializationConstructorAccessor", Tail::Digits),
    ("LambdaForm$MH", Tail::Digits),
    ("LambdaForm$DMH", Tail::Digits),
    ("LambdaForm$BMH", Tail::Digits),
    ("jdk/proxy", Tail::Digits),
    ("jdk.proxy", Tail::Digits),
    // Functions that Clojure compiled.
    ("$fn__", Tail::Digits),
    ("$reify__", Tail::Digits),
];

/// The start of the name of a BPF program. The kernel adds a hash of the program's instructions.
const BPF_PROGRAM: &str = "bpf_prog_";
/// Number of digits of this hash.
const BPF_HASH_DIGITS: usize = 16;

/// A function's name, internal or displayed, without numbers and hashes of generated code.
pub fn of_code(name: &str) -> Cow<'_, str> {
    match normalized_name(name) {
        Cow::Borrowed(name) => without_generated(name),
        Cow::Owned(name) => Cow::Owned(without_generated(&name).into_owned()),
    }
}

fn without_generated(name: &str) -> Cow<'_, str> {
    // Most names have neither, and need no search.
    if !name.bytes().any(|byte| byte == b'$' || byte.is_ascii_digit()) {
        return Cow::Borrowed(name);
    }
    let mut kept = String::new();
    let mut rest = name;
    while let Some((start, length)) = first_generated(rest) {
        kept.push_str(&rest[..start]);
        rest = &rest[start + length..];
    }
    if rest.len() == name.len() { Cow::Borrowed(name) } else { Cow::Owned(kept + rest) }
}

/// Start and length of the first part of a name that is removed.
fn first_generated(name: &str) -> Option<(usize, usize)> {
    let after_text = GENERATED.iter().filter_map(|(text, tail)| {
        let ends = name.match_indices(text).map(|(at, text)| at + text.len());
        ends.map(|end| (end, tail_length(&name[end..], *tail))).find(|(_, length)| *length > 0)
    });
    after_text.chain(bpf_hash(name)).chain(class_number(name)).min()
}

fn tail_length(text: &str, tail: Tail) -> usize {
    let run = |is_part: fn(&u8) -> bool| text.bytes().take_while(is_part).count();
    let word = run(u8::is_ascii_alphanumeric);
    match tail {
        Tail::Digits => run(u8::is_ascii_digit),
        // `FastClass` starts with a hexadecimal digit, but is no number.
        Tail::Hex if run(u8::is_ascii_hexdigit) < word => 0,
        Tail::Hex | Tail::Word => word,
        Tail::Words => run(|byte| byte.is_ascii_alphanumeric() || *byte == b'_'),
    }
}

/// Start and length of the hash in the name of a BPF program, with the `_` after the hash.
fn bpf_hash(name: &str) -> Option<(usize, usize)> {
    let rest = name.strip_prefix(BPF_PROGRAM)?;
    let digits = rest.bytes().take_while(u8::is_ascii_hexdigit).count();
    let is_hash =
        digits == BPF_HASH_DIGITS && rest.as_bytes().get(digits).is_none_or(|next| !next.is_ascii_alphanumeric());
    is_hash.then(|| (BPF_PROGRAM.len(), digits + usize::from(rest[digits..].starts_with('_'))))
}

/// Start and length of the number of a hidden class of JDK 8, with its separator: `/1096979270` in internal names,
/// `.1096979270` in displayed names. No package and no class begins with a digit. Compilers number copies of native
/// functions in the same way (`sort.part.0`), but with small numbers, which are kept.
fn class_number(name: &str) -> Option<(usize, usize)> {
    name.match_indices(['/', '.']).find_map(|(start, separator)| {
        let digits = tail_length(&name[start + 1..], Tail::Digits);
        let next = name.as_bytes().get(start + 1 + digits);
        let fewest = if separator == "/" { 1 } else { RANDOM_DIGITS };
        let is_number = digits >= fewest && start > 0 && next.is_none_or(|next| b".(;,)[ ".contains(next));
        is_number.then_some((start, digits + 1))
    })
}

/// Lengths of the parts of a UUID.
const UUID_PARTS: [usize; 5] = [8, 4, 4, 4, 12];
/// A word with at least this many hexadecimal digits, one of them from 0 to 9, is a hash.
const HASH_DIGITS: usize = 8;

/// A thread's name with `#` for each number, UUID and hash.
pub fn of_thread(name: &str) -> String {
    without_numbers(&without_hashes(name))
}

/// A text with `#` for each UUID and each long hexadecimal word.
fn without_hashes(text: &str) -> Cow<'_, str> {
    if text.len() < HASH_DIGITS {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(|letter: char| letter.is_ascii_alphanumeric()) {
        let (before, after) = rest.split_at(start);
        kept.push_str(before);
        let word = tail_length(after, Tail::Word);
        match uuid_length(after).or_else(|| is_hash(&after[..word]).then_some(word)) {
            Some(length) => {
                kept.push('#');
                rest = &after[length..];
            }
            None => {
                kept.push_str(&after[..word]);
                rest = &after[word..];
            }
        }
    }
    Cow::Owned(kept + rest)
}

fn is_hash(word: &str) -> bool {
    word.len() >= HASH_DIGITS
        && word.bytes().all(|byte| byte.is_ascii_hexdigit())
        && word.bytes().any(|byte| byte.is_ascii_digit())
}

/// Length of the UUID at the start of a text. Missing if the text does not start with a UUID.
fn uuid_length(text: &str) -> Option<usize> {
    let mut length = 0;
    for (index, part) in UUID_PARTS.into_iter().enumerate() {
        length += usize::from(index > 0);
        let is_part = text.get(length..length + part)?.bytes().all(|byte| byte.is_ascii_hexdigit());
        length += part;
        let next = text.as_bytes().get(length);
        let is_last = index + 1 == UUID_PARTS.len();
        let ends = if is_last { next.is_none_or(|next| !next.is_ascii_alphanumeric()) } else { next == Some(&b'-') };
        if !is_part || !ends {
            return None;
        }
    }
    Some(length)
}

/// Folders of temporary files.
const TEMPORARY_FOLDERS: [&str; 3] = ["/tmp/", "/var/tmp/", "/dev/shm/"];
/// Folders in which files and folders are named after processes and threads.
const PROCESS_FOLDERS: [&str; 2] = ["/proc/", "/tmp/hsperfdata_"];
/// Texts before the number of a process in the name of a temporary file.
const BEFORE_PROCESS: [&str; 2] = [".java_pid", "/perf-"];
/// Minimum number of digits of a random number in the name of a temporary file.
pub const RANDOM_DIGITS: usize = 6;
/// Ports from here on are given to clients by the kernel (`net.ipv4.ip_local_port_range`).
const FIRST_CLIENT_PORT: u32 = 32_768;

/// The path of a file, or the peer of a socket, with `#` for numbers of processes, random numbers, UUIDs, hashes and
/// ports of clients.
pub fn of_file(path: &str) -> String {
    if path.starts_with("tcp ") || path.starts_with("udp ") {
        return without_client_port(path);
    }
    let path = without_hashes(path);
    if PROCESS_FOLDERS.iter().any(|folder| path.starts_with(folder)) {
        let part = |part| if is_number(part) { "#" } else { part };
        return path.split('/').map(part).collect::<Vec<_>>().join("/");
    }
    if TEMPORARY_FOLDERS.iter().any(|folder| path.starts_with(folder)) {
        return BEFORE_PROCESS
            .iter()
            .fold(without_long_numbers(&path), |path, before| without_number_after(&path, before));
    }
    path.into_owned()
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn without_client_port(peer: &str) -> String {
    let port = peer.rsplit_once(':').filter(|(_, port)| port.parse().is_ok_and(|port: u32| port >= FIRST_CLIENT_PORT));
    port.map_or_else(|| peer.to_owned(), |(address, _)| format!("{address}:#"))
}

/// A text with `#` for each number of at least [`RANDOM_DIGITS`] digits.
pub fn without_long_numbers(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(|letter: char| letter.is_ascii_digit()) {
        let digits = tail_length(&rest[start..], Tail::Digits);
        kept.push_str(&rest[..start]);
        kept.push_str(if digits >= RANDOM_DIGITS { "#" } else { &rest[start..start + digits] });
        rest = &rest[start + digits..];
    }
    kept + rest
}

fn without_number_after(path: &str, before: &str) -> String {
    let Some(at) = path.find(before) else { return path.to_owned() };
    let (kept, rest) = path.split_at(at + before.len());
    match tail_length(rest, Tail::Digits) {
        0 => path.to_owned(),
        digits => format!("{kept}#{}", &rest[digits..]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_hashes_of_generated_code_are_removed() {
        for (name, expected) in [
            ("A$$Lambda/0x00007f2648000c30.run()V", "A$$Lambda.run()V"),
            ("A$$Lambda$14.0x00007f2648000c30.run()V", "A$$Lambda$.run()V"),
            ("A$$Lambda$1/1096979270.run()V", "A$$Lambda$.run()V"),
            ("java/lang/invoke/LambdaForm$MH/0x000000800103c000.invoke()V", "java/lang/invoke/LambdaForm$MH.invoke()V"),
            (
                "java.lang.invoke.LambdaForm$DMH/1567581361.newInvokeSpecial_L_L",
                "java.lang.invoke.LambdaForm$DMH.newInvokeSpecial_L_L",
            ),
            ("java.lang.invoke.LambdaForm$DMH008_LL_V.invoke", "java.lang.invoke.LambdaForm$DMH_LL_V.invoke"),
            ("jdk/proxy2/$Proxy12.get()V", "jdk/proxy/$Proxy.get()V"),
            ("jdk.proxy2.$Proxy12.get(jdk.proxy3.$Proxy4)", "jdk.proxy.$Proxy.get(jdk.proxy.$Proxy)"),
            ("com.sun.proxy.$Proxy7.get()", "com.sun.proxy.$Proxy.get()"),
            (
                "jdk/internal/reflect/GeneratedMethodAccessor7.invoke",
                "jdk/internal/reflect/GeneratedMethodAccessor.invoke",
            ),
            (
                "jdk.internal.reflect.GeneratedSerializationConstructorAccessor3.newInstance",
                "jdk.internal.reflect.GeneratedSerializationConstructorAccessor.newInstance",
            ),
            ("a.B$$EnhancerBySpringCGLIB$$1a2b3c4d.run()", "a.B$$EnhancerBySpringCGLIB$$.run()"),
            ("a.B$$SpringCGLIB$$0.run(a.B$$SpringCGLIB$$1)", "a.B$$SpringCGLIB$$.run(a.B$$SpringCGLIB$$)"),
            ("a.B$$SpringCGLIB$$FastClass$$1.invoke()", "a.B$$SpringCGLIB$$FastClass$$.invoke()"),
            ("a.B$$EnhancerByGuice$$8d1a2b3c.run()", "a.B$$EnhancerByGuice$$.run()"),
            ("a.B$ByteBuddy$Ab12Cd9Z.run()", "a.B$ByteBuddy$.run()"),
            ("a.B$MockitoMock$1234567.run()", "a.B$MockitoMock$.run()"),
            ("a.B$HibernateProxy$k3Xy9Qa1.run()", "a.B$HibernateProxy$.run()"),
            ("a.B_$$_jvst449_0.run()", "a.B_$$_jvst.run()"),
            ("a.B$Access4JacksonDeserializer1a2b3c4d.run()", "a.B$Access4JacksonDeserializer.run()"),
            ("app.core$fn__1234.invoke()", "app.core$fn__.invoke()"),
            ("bpf_prog_6deef7357e7b4530_sd_fw_egress", "bpf_prog_sd_fw_egress"),
            ("bpf_prog_6deef7357e7b4530", "bpf_prog_"),
            ("A$$Lambda$1.1096979270.run()", "A$$Lambda$.run()"),
            ("sort.llvm.8391023848", "sort.llvm"),
        ] {
            assert_eq!(of_code(name), expected);
        }
    }

    #[test]
    fn names_that_the_program_chose_are_kept() {
        for name in [
            "a.Md5$1.update(byte[], int)",
            "a.B$$Lambda.run()",
            "A.lambda$parse$3()",
            "bpf_prog_run",
            "bpf_prog_array_map_1",
            "jdk.proxy.Cache.get()",
            "a/B.f(La/C;)V",
            "operator/2x",
            "rwsem_wake.isra.0",
            "main.main.func1.2",
            "main",
            "",
        ] {
            assert_eq!(of_code(name), name);
        }
    }

    #[test]
    fn threads_have_no_numbers_and_no_hashes() {
        for (name, expected) in [
            ("pool-1-thread-17", "pool-#-thread-#"),
            ("producer | 3f0c9a52-77aa-4b1e-9d3f-aa00bb11cc22", "producer | #"),
            ("Timer@6d06d69c", "Timer@#"),
            ("deadbeef", "deadbeef"),
            ("C# CompilerThre", "C# CompilerThre"),
            ("Größe 3f0c9a52-77aa", "Größe #-#aa"),
        ] {
            assert_eq!(of_thread(name), expected);
        }
    }

    #[test]
    fn files_have_no_process_numbers_and_no_random_numbers() {
        for (path, expected) in [
            ("/tmp/hsperfdata_app/4711", "/tmp/hsperfdata_app/#"),
            ("/proc/4711/task/4712/stat", "/proc/#/task/#/stat"),
            ("/proc/self/smaps", "/proc/self/smaps"),
            ("/tmp/.java_pid4711", "/tmp/.java_pid#"),
            ("/tmp/perf-4711.map", "/tmp/perf-#.map"),
            ("/tmp/tomcat.8080.6412345678901/work", "/tmp/tomcat.8080.#/work"),
            ("/data/3f0c9a52-77aa-4b1e-9d3f-aa00bb11cc22/segment", "/data/#/segment"),
            ("/data/000000000123.log", "/data/#.log"),
            ("/data/orders-12345.log", "/data/orders-12345.log"),
            ("tcp 10.0.0.7:5432", "tcp 10.0.0.7:5432"),
            ("tcp 10.0.0.7:45678", "tcp 10.0.0.7:#"),
            ("", ""),
        ] {
            assert_eq!(of_file(path), expected);
        }
    }

    #[test]
    fn a_name_without_temporary_parts_stays_so() {
        for name in
            ["A$$Lambda$14/0x7f.run", "a.B_$$_jvst449_0.run()", "/tmp/x1234567/3f0c9a52", "bpf_prog_6deef7357e7b4530_x"]
        {
            let (code, file, thread) = (of_code(name).into_owned(), of_file(name), of_thread(name));
            assert_eq!((&*of_code(&code), &of_file(&file), &of_thread(&thread)), (&*code, &file, &thread));
        }
    }
}
