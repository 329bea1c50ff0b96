//! Stubs of the JVM that implement methods of the JDK. The JIT compiler calls a stub instead of the method, so the method
//! is not on the stack. Source of the names: `StubRoutines` and `SharedRuntime` of OpenJDK 17 to 25.

/// A start of names of stubs, and the method of the JDK that such stubs implement.
const METHODS: &[(&str, &str)] = &[
    ("aescrypt_", "javax.crypto.Cipher.update"),
    ("arraysort", "java.util.Arrays.sort"),
    ("array_partition", "java.util.Arrays.sort"),
    ("arrayof_", "java.lang.System.arraycopy"),
    ("base64_decodeBlock", "java.util.Base64$Decoder.decode"),
    ("base64_encodeBlock", "java.util.Base64$Encoder.encode"),
    ("bigInteger", "java.math.BigInteger.shiftLeft"),
    ("chacha20Block", "javax.crypto.Cipher.update"),
    ("cipherBlockChaining_", "javax.crypto.Cipher.update"),
    ("counterMode_AESCrypt", "javax.crypto.Cipher.update"),
    ("dcbrt", "java.lang.Math.cbrt"),
    ("dcos", "java.lang.Math.cos"),
    ("dexp", "java.lang.Math.exp"),
    ("dlog10", "java.lang.Math.log10"),
    ("dlog", "java.lang.Math.log"),
    ("dpow", "java.lang.Math.pow"),
    ("dsin", "java.lang.Math.sin"),
    ("dtanh", "java.lang.Math.tanh"),
    ("dtan", "java.lang.Math.tan"),
    ("electronicCodeBook_", "javax.crypto.Cipher.update"),
    ("encodeBlock", "java.util.Base64$Encoder.encode"),
    ("galoisCounterMode_AESCrypt", "javax.crypto.Cipher.update"),
    ("ghash_processBlocks", "javax.crypto.Cipher.update"),
    ("jbyte_", "java.lang.System.arraycopy"),
    ("jint_", "java.lang.System.arraycopy"),
    ("jlong_", "java.lang.System.arraycopy"),
    ("jshort_", "java.lang.System.arraycopy"),
    ("libmCos", "java.lang.Math.cos"),
    ("libmExp", "java.lang.Math.exp"),
    ("libmLog10", "java.lang.Math.log10"),
    ("libmLog", "java.lang.Math.log"),
    ("libmPow", "java.lang.Math.pow"),
    ("libmSin", "java.lang.Math.sin"),
    ("libmTan", "java.lang.Math.tan"),
    ("md5_implCompress", "java.security.MessageDigest.update"),
    ("montgomery", "java.math.BigInteger.modPow"),
    ("mulAdd", "java.math.BigInteger.multiply"),
    ("multiplyToLen", "java.math.BigInteger.multiply"),
    ("oop_disjoint_arraycopy", "java.lang.System.arraycopy"),
    ("oop_arraycopy", "java.lang.System.arraycopy"),
    ("poly1305_processBlocks", "javax.crypto.Cipher.update"),
    ("sha1_implCompress", "java.security.MessageDigest.update"),
    ("sha256_implCompress", "java.security.MessageDigest.update"),
    ("sha3_implCompress", "java.security.MessageDigest.update"),
    ("sha512_implCompress", "java.security.MessageDigest.update"),
    ("squareToLen", "java.math.BigInteger.multiply"),
    ("string_indexof_linear", "java.lang.String.indexOf"),
    ("updateBytesAdler32", "java.util.zip.Adler32.update"),
    ("updateBytesCRC32C", "java.util.zip.CRC32C.update"),
    ("updateBytesCRC32", "java.util.zip.CRC32.update"),
    ("vectorizedMismatch", "java.util.Arrays.mismatch"),
];

/// The method of the JDK that a stub with this name implements. `None`: the name is not the name of such a stub.
pub(crate) fn method_of_stub(name: &str) -> Option<&'static str> {
    METHODS.iter().find(|(start, _)| name.starts_with(start)).map(|(_, method)| *method)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stub_has_the_method_with_the_longest_matching_name() {
        for (stub, method) in [
            ("libmLog10", Some("java.lang.Math.log10")),
            ("libmLog", Some("java.lang.Math.log")),
            ("dtanh", Some("java.lang.Math.tanh")),
            ("updateBytesCRC32C", Some("java.util.zip.CRC32C.update")),
            ("sha512_implCompressMB", Some("java.security.MessageDigest.update")),
            ("call_stub", None),
        ] {
            assert_eq!(method_of_stub(stub), method, "{stub}");
        }
        // The first start that fits is used, so a longer start must come before its own beginning.
        for (position, (start, _)) in METHODS.iter().enumerate() {
            assert!(!METHODS[..position].iter().any(|(earlier, _)| start.starts_with(earlier)), "{start}");
        }
    }
}
