//! Restores what the compilers of Kotlin and Scala changed: lines of inlined code, and names. It uses the class files in the
//! experiment's archive.
//!
//! ```text
//! recorded                                          shown
//! own.MainKt.main(…), line 80 of 45                 line 27
//! own.Shop$load$1.invokeSuspend(java.lang.Object)   own.Shop.load<coroutine 1>(java.lang.Object)
//! own.Ledger$.sorted$$anonfun$2(scala.Tuple2)       own.Ledger.sorted<lambda 2>(scala.Tuple2)
//! own.Money.$plus(own.Money)                        own.Money.+(own.Money)
//! ```
//!
//! Experiments keep what was recorded. So older experiments are shown in the same way, and comparisons and fleets use the
//! JVM's names as identities.

mod coroutine_names;
mod kotlin_lines;
mod scala_names;

use std::collections::{HashMap, HashSet};
use whittle_bytecode::class_file::ClassFile;
use whittle_model::{FunctionKind, Tables};

/// Restores lines and names.
pub fn restore(tables: &mut Tables) {
    correct_lines(tables);
    show_names(tables);
}

/// Replaces the lines of code that the Kotlin compiler inlined by the lines of the class's source file.
pub fn correct_lines(tables: &mut Tables) {
    kotlin_lines::correct(tables, &functions_by_class(tables));
}

/// Replaces displayed names by the names in the source. A name that another function has stays as it is.
fn show_names(tables: &mut Tables) {
    let mut names: Vec<(usize, String)> = Vec::new();
    let by_class = functions_by_class(tables);
    let archive = &tables.archive;
    for (class, bytes) in archive.class_name.iter().zip(&archive.bytes) {
        let functions = by_class.get(class.as_str()).filter(|_| bytes.as_deref().is_some_and(is_scala));
        let shown = functions.into_iter().flatten().filter_map(|function| {
            Some((*function, scala_names::readable(&tables.functions.display_name[*function])?))
        });
        names.extend(shown);
    }
    for (row, name) in tables.functions.display_name.iter().enumerate() {
        if tables.functions.kind[row] == FunctionKind::Java {
            names.extend(coroutine_names::readable(name).map(|name| (row, name)));
        }
    }
    let mut known: HashSet<String> = match names.is_empty() {
        true => return,
        false => tables.functions.display_name.iter().cloned().collect(),
    };
    for (function, name) in names {
        if known.insert(name.clone()) {
            tables.functions.display_name[function] = name;
        }
    }
}

/// True if the Scala compiler wrote the class. Most class files of other languages do not contain the word.
fn is_scala(bytes: &[u8]) -> bool {
    let has = |word: &[u8]| bytes.windows(word.len()).any(|window| window == word);
    (has(b"Scala") || has(b"TASTY")) && ClassFile::parse(bytes).is_ok_and(|class| class.is_scala)
}

/// The rows of Java functions by class, in the JVM's form.
fn functions_by_class(tables: &Tables) -> HashMap<String, Vec<usize>> {
    let mut by_class: HashMap<String, Vec<usize>> = HashMap::new();
    for (row, name) in tables.functions.internal_name.iter().enumerate() {
        let name = name.split('(').next().unwrap_or(name);
        if tables.functions.kind[row] == FunctionKind::Java
            && let Some((class, _)) = name.rsplit_once('.')
        {
            by_class.entry(class.replace('.', "/")).or_default().push(row);
        }
    }
    by_class
}

#[cfg(test)]
mod tests {
    use super::*;
    use whittle_model::ArchivedClass;
    use whittle_testkit::experiment_from_text;

    const MONEY: &[u8] = include_bytes!("../../../bytecode/tests/fixtures/scala/Money.class");

    /// In Kotlin and Java, `$bar` can be a function or a class with this name.
    #[test]
    fn only_names_of_scala_classes_are_decoded() {
        let (_, mut tables) = experiment_from_text(
            "
            own/sc/Money.$plus(Lown/sc/Money;)V  app/Main$bar$1.$plus()V  own/co/Shop$load$1.invokeSuspend(Ljava/lang/Object;)V  own/sc/Money.a$$anonfun$1()V  own/sc/Money.a<lambda_1>()V
            ",
        );
        let names = ["own.sc.Money.$plus(own.sc.Money)", "app.Main$bar$1.$plus()"];
        let names = names.into_iter().chain(["own.co.Shop$load$1.invokeSuspend(java.lang.Object)"]);
        let names = names.chain(["own.sc.Money.a$$anonfun$1()", "own.sc.Money.a<lambda 1>()"]);
        for (row, name) in (1..).zip(names) {
            name.clone_into(&mut tables.functions.display_name[row]);
        }
        for name in ["own/sc/Money", "app/Main$bar$1"] {
            let bytes = if name.starts_with("own") { MONEY.to_vec() } else { b"no class of TASTY".to_vec() };
            let class_name = name.to_owned();
            tables.archive.push(ArchivedClass { class_name, origin: String::new(), digest: None, bytes: Some(bytes) });
        }
        let internal_names = tables.functions.internal_name.clone();
        restore(&mut tables);
        let expected = [
            "own.sc.Money.+(own.sc.Money)",
            "app.Main$bar$1.$plus()",
            "own.co.Shop.load<coroutine 1>(java.lang.Object)",
            // Another function has the readable name.
            "own.sc.Money.a$$anonfun$1()",
            "own.sc.Money.a<lambda 1>()",
        ];
        assert_eq!(tables.functions.display_name[1..], expected);
        assert_eq!(tables.functions.internal_name, internal_names);
    }
}
