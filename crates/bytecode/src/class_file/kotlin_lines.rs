//! Lines of code that the Kotlin compiler inlined.
//!
//! The compiler copies the body of an inline function into the caller. In the caller's class file, the lines of the copy
//! are beyond the end of the source file. The class's source map says where each copy comes from (stratum `Kotlin`), and
//! which line calls the inline function (`KotlinDebug`).
//!
//! ```text
//! line of the class file    stratum Kotlin         stratum KotlinDebug      line
//! 12                        Main.kt:12                                      12
//! 47                        _Collections.kt:1628   Main.kt:9                 9   the call of an inline function of a library
//! 80                        Main.kt:27             Main.kt:39               27   an inline function in the same file
//! 71                        fake.kt:1                                        -   code without a line: the line before counts
//! ```
//!
//! A frame has one file, so the line is always in the file of the class: the line of the code itself, or of the call.

use super::member::Method;
use super::source_map::{MappedFile, SourceMap};

const BODIES: &str = "Kotlin";
const CALLS: &str = "KotlinDebug";

/// The true lines of a class.
#[derive(Debug, Clone)]
pub struct KotlinLines<'a> {
    map: SourceMap<'a>,
    /// The source file of the class.
    own: MappedFile<'a>,
}

impl<'a> KotlinLines<'a> {
    /// `None` if the Kotlin compiler did not write the map.
    pub(super) fn new(map: SourceMap<'a>, class_name: &str) -> Option<Self> {
        let own = own_file(&map, class_name)?;
        Some(Self { map, own })
    }

    /// The name of the class's source file.
    pub(super) fn source_file(&self) -> &'a str {
        self.own.name
    }

    /// The line in the class's source file for a line of the class file. `None` if there is no such line.
    pub fn line(&self, class_line: u32) -> Option<u32> {
        let Some(body) = self.map.place(BODIES, class_line) else { return Some(class_line) };
        if self.is_own(body.file) {
            return Some(body.line);
        }
        self.map.place(CALLS, class_line).filter(|call| self.is_own(call.file)).map(|call| call.line)
    }

    /// Gives the code of methods its true lines. Code without a line gets the line before.
    pub(super) fn correct(&self, methods: &mut [Method<'_>]) {
        for code in methods.iter_mut().filter_map(|method| method.code.as_mut()) {
            code.lines.retain_mut(|start| {
                let line = self.line(u32::from(start.line)).and_then(|line| u16::try_from(line).ok());
                start.line = line.unwrap_or(start.line);
                line.is_some()
            });
        }
    }

    /// Several classes can be in one source file.
    fn is_own(&self, file: MappedFile<'_>) -> bool {
        let package = |path: &'_ str| path.rsplit_once('/').map_or(0, |(package, _)| package.len());
        let (length, own_length) = (package(file.path), package(self.own.path));
        file.name == self.own.name && file.path.get(..length) == self.own.path.get(..own_length)
    }
}

/// The file with the source of a class: the file of its outermost class, or the first file. A class that was copied from an
/// inline function of a library has the library's file as its first file.
fn own_file<'a>(map: &SourceMap<'a>, class_name: &str) -> Option<MappedFile<'a>> {
    let outermost = outermost(class_name);
    let of_class = map.files(BODIES).find(|file| self::outermost(file.path) == outermost);
    of_class.or_else(|| map.files(BODIES).next())
}

/// `app/Main` for `app/Main$run$1`.
fn outermost(class_name: &str) -> &str {
    let simple = class_name.rfind('/').map_or(0, |slash| slash + 1);
    // A name can begin with `$`.
    let first = simple + class_name[simple..].chars().next().map_or(0, char::len_utf8);
    class_name[first..].find('$').map_or(class_name, |at| &class_name[..first + at])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class_file::ClassFile;

    /// The source is `Main.kt` next to the class file, compiled with Kotlin 2.1.0.
    const MAIN: &[u8] = include_bytes!("../../tests/fixtures/kotlin/MainKt.class");

    #[test]
    fn lines_of_inlined_code_are_lines_of_the_file() {
        let class = ClassFile::parse(MAIN).unwrap();
        assert_eq!(class.source_file.as_deref(), Some("Main.kt"));
        let lines = |name: &str| {
            let method = class.methods.iter().find(|method| method.name == name).unwrap();
            let mut lines: Vec<u16> = method.code.as_ref().unwrap().lines.iter().map(|start| start.line).collect();
            lines.dedup();
            lines
        };
        // The inline functions of Kotlin's library are on the lines that call them.
        assert_eq!(lines("build"), [8, 9, 10]);
        assert_eq!(lines("sumBy"), [13, 14, 15, 14, 16]);
        // An inline function in another file.
        assert_eq!(lines("numbers"), [19, 20, 19]);
        // In the same file, `within` begins in line 25.
        assert!(lines("main").contains(&27), "{:?}", lines("main"));
        assert!(
            class.methods.iter().filter_map(|it| it.code.as_ref()).flat_map(|it| &it.lines).all(|it| it.line <= 45)
        );
    }

    /// The compiler copies the classes of an inline function's lambdas. Their first file is the library's.
    #[test]
    fn the_file_of_a_copied_class_is_that_of_its_caller() {
        let text = "SMAP\nEmitters.kt\nKotlin\n*S Kotlin\n*F\n+ 1 Emitters.kt\nkotlinx/coroutines/flow/FlowKt__EmittersKt$unsafeTransform$1$1\n\
                    + 2 Shop.kt\napp/ShopKt\n+ 3 Shop.kt\nother/ShopKt\n*L\n1#1,222:1\n48#2:223\n7#3:224\n*E\n";
        let map = || SourceMap::parse(text).unwrap();
        let lines = KotlinLines::new(map(), "app/ShopKt$orders$$inlined$map$1$2").unwrap();
        assert_eq!(
            (lines.source_file(), lines.line(223), lines.line(49), lines.line(224)),
            ("Shop.kt", Some(48), None, None)
        );
        let of_library = KotlinLines::new(map(), "kotlinx/coroutines/flow/Other$1").unwrap();
        assert_eq!((of_library.source_file(), of_library.line(49)), ("Emitters.kt", Some(49)));
        assert!(KotlinLines::new(SourceMap::parse("SMAP\na\nJSP\n*S JSP\n").unwrap(), "a").is_none());
        assert_eq!(
            (outermost("a/$Main$1"), outermost("a/Main"), outermost("$"), outermost("")),
            ("a/$Main", "a/Main", "$", "")
        );
    }
}
