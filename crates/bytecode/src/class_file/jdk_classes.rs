//! Which Java methods are the JDK's own and not the program's.
//!
//! Decided by package. Packages of `javax` that are not in the JDK count as its own all the same: they are
//! interfaces to libraries, not the program.

/// Packages, as the JVM names them. What follows is of the JDK.
const JDK_PACKAGES: &[&str] = &[
    "java/",
    "javax/",
    "jdk/",
    "sun/",
    "com/sun/",
    "org/ietf/jgss/",
    "org/jcp/xml/",
    "org/w3c/dom/",
    "org/xml/sax/",
    "netscape/javascript/",
];

/// True for methods of the JDK's classes, by the JVM's name or by the name as shown.
pub(crate) fn is_jdk_method(name: &str) -> bool {
    let same = |a: u8, b: u8| a == b || (a == b'/' && b == b'.');
    JDK_PACKAGES
        .iter()
        .any(|package| name.len() > package.len() && package.bytes().zip(name.bytes()).all(|(a, b)| same(a, b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_of_the_jdk_are_told_by_their_package() {
        for jdk in [
            "java/io/FileOutputStream.write(I)V",
            "java.io.FileOutputStream.write(int)",
            "sun/nio/ch/IOUtil.write(I)I",
            "jdk/internal/misc/Unsafe.park(ZJ)V",
            "com.sun.proxy.$Proxy1.run()",
        ] {
            assert!(is_jdk_method(jdk), "{jdk}");
        }
        for own in ["javanese/Main.run()V", "org/w3c/tidy/OutImpl.outc(I)V", "Main.java/", "app.Main.run()", "java"] {
            assert!(!is_jdk_method(own), "{own}");
        }
    }
}
