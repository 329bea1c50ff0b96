//! Names of machine code, without the suffixes that compilers add.

/// Suffixes that compilers append, after a dot, to the name of a function that they split or specialised.
const SUFFIXES: &[&str] = &["isra", "constprop", "part", "cold", "llvm", "lto_priv", "localalias"];

/// Removes the compiler's suffixes, and the numbers after these suffixes, from `symbol`.
///
/// ```
/// use whittle_model::without_compiler_suffix;
/// assert_eq!(without_compiler_suffix("tcp_ack.isra.0.cold"), "tcp_ack");
/// assert_eq!(without_compiler_suffix("work.constprop.1"), "work");
/// assert_eq!(without_compiler_suffix("libc.so.6"), "libc.so.6");
/// ```
pub fn without_compiler_suffix(symbol: &str) -> &str {
    let mut rest = symbol;
    while let Some((start, last)) = rest.rsplit_once('.') {
        let numbered = last.bytes().all(|byte| byte.is_ascii_digit()).then(|| start.rsplit_once('.')).flatten();
        let (name, word) = numbered.unwrap_or((start, last));
        if name.is_empty() || !SUFFIXES.contains(&word) {
            break;
        }
        rest = name;
    }
    rest
}
