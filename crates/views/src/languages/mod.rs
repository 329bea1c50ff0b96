//! Restores what compilers changed: lines of code that Kotlin inlined, and names of Java, Kotlin, Scala, Groovy and Clojure. It
//! uses the class files in the experiment's archive.
//!
//! ```text
//! recorded                                          shown
//! own.MainKt.main(…), line 80 of 45                 line 27
//! own.Main.lambda$run$0(int)                        own.Main.run<lambda 0>(int)
//! own.Shop$load$1.invokeSuspend(java.lang.Object)   own.Shop.load<coroutine 1>(java.lang.Object)
//! own.Ledger$.sorted$$anonfun$2(scala.Tuple2)       own.Ledger.sorted<lambda 2>(scala.Tuple2)
//! own.Money.$plus(own.Money)                        own.Money.+(own.Money)
//! own.Prices$_total_closure1.doCall()               own.Prices.total<closure 1>()
//! my_shop.core$valid_QMARK_.invokeStatic()          my-shop.core/valid?()
//! ```
//!
//! Experiments keep what was recorded. So older experiments are shown in the same way, and comparisons and fleets use the
//! JVM's names as identities.

mod clojure_names;
mod coroutine_names;
mod groovy_names;
mod java_names;
mod kotlin_lines;
mod scala_names;

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap, HashSet};
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
    let mut names: BTreeMap<usize, String> = BTreeMap::new();
    let by_class = functions_by_class(tables);
    let archive = &tables.archive;
    for (class, bytes) in archive.class_name.iter().zip(&archive.bytes) {
        let (Some(bytes), Some(functions)) = (bytes, by_class.get(class.as_str())) else { continue };
        names.extend(names_by_class_file(tables, functions, bytes));
    }
    let has_clojure = by_class.keys().any(|class| class.starts_with("clojure/lang/"));
    for (row, name) in tables.functions.display_name.iter().enumerate() {
        if tables.functions.kind[row] == FunctionKind::Java && !names.contains_key(&row) {
            names.extend(name_alone(name, has_clojure).map(|name| (row, name)));
        }
    }
    if names.is_empty() {
        return;
    }
    let mut known: HashSet<&str> = tables.functions.display_name.iter().map(String::as_str).collect();
    let is_new: Vec<bool> = names.values().map(|name| known.insert(name)).collect();
    for ((function, name), _) in names.into_iter().zip(is_new).filter(|(_, is_new)| *is_new) {
        tables.functions.display_name[function] = name;
    }
}

/// The readable name of a method, if the name alone shows that it is one of these languages'.
fn name_alone(name: &str, has_clojure: bool) -> Option<String> {
    coroutine_names::readable(name)
        .or_else(|| java_names::lambda(name))
        .or_else(|| groovy_names::readable(name))
        // Most Clojure classes are compiled when they are loaded, so the archive does not contain them.
        .or_else(|| clojure_names::readable(name).filter(|_| has_clojure))
}

/// The readable names of methods of a class. Only the class file shows which compiler wrote it. To search it takes time, so
/// the names are looked at first.
fn names_by_class_file<'a>(
    tables: &'a Tables,
    functions: &'a [usize],
    bytes: &'a [u8],
) -> impl Iterator<Item = (usize, String)> + 'a {
    let (scala, kotlin) = (OnceCell::new(), OnceCell::new());
    functions.iter().filter_map(move |function| {
        let name = &tables.functions.display_name[*function];
        let is_scala = |_: &String| *scala.get_or_init(|| is_scala(bytes));
        let is_kotlin = |_: &String| *kotlin.get_or_init(|| has(bytes, b"kotlin/jvm/internal/Lambda"));
        let of_scala = scala_names::readable(name).filter(is_scala);
        Some((*function, of_scala.or_else(|| java_names::kotlin_class(name).filter(is_kotlin))?))
    })
}

/// Compilers number lambdas, closures and coroutines.
fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn has(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|window| window == word)
}

/// True if the Scala compiler wrote the class. Most class files of other languages do not contain the word.
fn is_scala(bytes: &[u8]) -> bool {
    (has(bytes, b"Scala") || has(bytes, b"TASTY")) && ClassFile::parse(bytes).is_ok_and(|class| class.is_scala)
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
