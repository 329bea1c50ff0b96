//! Distinguishes methods of the JDK from methods of the program, by package.
//!
//! All packages in `javax` are treated as JDK packages. Some of these packages are not in the JDK, but they are
//! interfaces to libraries, not code of the program.

/// Prefixes of the JDK's package names, in the JVM's form.
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

/// True for methods of the JDK's classes. The name is in the JVM's form or in the displayed form.
pub fn is_jdk_method(name: &str) -> bool {
    let same = |a: u8, b: u8| a == b || (a == b'/' && b == b'.');
    JDK_PACKAGES
        .iter()
        .any(|package| name.len() > package.len() && package.bytes().zip(name.bytes()).all(|(a, b)| same(a, b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_package_distinguishes_methods_of_the_jdk() {
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
