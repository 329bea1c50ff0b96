//! Readable names of lambdas: those of `javac`, and of Kotlin's compiler.
//!
//! Both compilers make a method of a lambda's body, with the name of the method around it. A lambda of Kotlin before 2.0 is a
//! class.
//!
//! ```text
//! javac         app.Main.lambda$run$0(int)           app.Main.run<lambda 0>(int)
//! Kotlin        app.MainKt.run$lambda$0(int)         app.MainKt.run<lambda 0>(int)
//! Kotlin 1      app.MainKt$run$1.invoke(int)         app.MainKt.run<lambda 1>(int)
//! ```
//!
//! The names are not specified. Those of `javac` were seen in programs on JDK 17. No program has shown those of Kotlin yet.

use super::is_number;

/// The displayed name of a lambda's body. `None`: the method is no lambda.
pub(super) fn lambda(display_name: &str) -> Option<String> {
    let (path, parameters) = display_name.find('(').map_or((display_name, ""), |at| display_name.split_at(at));
    let (class, method) = path.rsplit_once('.')?;
    let (rest, number) = method.rsplit_once('$').filter(|(_, number)| is_number(number))?;
    let name =
        rest.strip_prefix("lambda$").and_then(of_javac).or_else(|| rest.strip_suffix("$lambda").map(of_kotlin))?;
    // A lambda in a lambda: `run$lambda$2$lambda`, `lambda$run`.
    let is_plain = !name.is_empty() && !name.contains("lambda$") && !name.contains("$lambda");
    is_plain.then(|| format!("{class}.{name}<lambda {number}>{parameters}"))
}

/// The displayed name of a method of a class that Kotlin 1 made of a lambda. `None`: the class is none.
pub(super) fn kotlin_class(display_name: &str) -> Option<String> {
    let start = display_name.find('(')?;
    let (path, parameters) = display_name.split_at(start);
    let class = path.strip_suffix(".invoke")?;
    let (rest, number) = class.rsplit_once('$').filter(|(_, number)| is_number(number))?;
    let (outer, name) = rest.rsplit_once('$').filter(|(_, name)| name.starts_with(char::is_lowercase))?;
    Some(format!("{outer}.{name}<lambda {number}>{parameters}"))
}

/// The method around a lambda. `javac` has words for constructors and for code that initialises a class. javac 8 does not name
/// the method around a lambda in a lambda.
fn of_javac(name: &str) -> Option<&str> {
    match name {
        "new" => Some("<init>"),
        "static" => Some("<clinit>"),
        "null" => None,
        // A lambda that can be serialised has a hash of its place.
        name => match name.rsplit_once('$') {
            Some((name, hash)) if hash.bytes().all(|byte| byte.is_ascii_hexdigit()) => Some(name),
            _ => Some(name),
        },
    }
}

fn of_kotlin(name: &str) -> &str {
    if name == "_init_" { "<init>" } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lambdas_have_the_names_of_the_methods_around_them() {
        for (recorded, shown) in [
            ("app.Main.lambda$run$0(int)", Some("app.Main.run<lambda 0>(int)")),
            ("app.Main.lambda$new$12()", Some("app.Main.<init><lambda 12>()")),
            ("app.Main.lambda$static$1()", Some("app.Main.<clinit><lambda 1>()")),
            ("app.MainKt.run$lambda$3(int)", Some("app.MainKt.run<lambda 3>(int)")),
            ("app.Main._init_$lambda$0()", Some("app.Main.<init><lambda 0>()")),
            ("app.Main.lambda$run$d6849184$1(int)", Some("app.Main.run<lambda 1>(int)")),
            ("app.Main.lambda$null$2(int)", None),
            // Lambdas in lambdas keep their names: the numbers of both matter.
            ("app.Main.lambda$lambda$run$0$1(int)", None),
            ("app.MainKt.run$lambda$2$lambda$1(int)", None),
            ("app.Main.lambda$run(int)", None),
            ("app.Main.run(int)", None),
            ("app.Main.$lambda$0(int)", None),
            ("lambda$run$0", None),
            ("", None),
        ] {
            assert_eq!(lambda(recorded).as_deref(), shown, "{recorded}");
        }
    }

    #[test]
    fn classes_of_kotlin_lambdas_have_the_names_of_the_functions_around_them() {
        for (recorded, shown) in [
            ("app.MainKt$run$1.invoke(int)", Some("app.MainKt.run<lambda 1>(int)")),
            ("app.Shop$Desk$load$2.invoke()", Some("app.Shop$Desk.load<lambda 2>()")),
            ("app.Shop$Desk$2.invoke()", None),
            ("app.Shop$1.invoke()", None),
            ("app.Shop.invoke()", None),
            ("app.MainKt$run$1.run()", None),
        ] {
            assert_eq!(kotlin_class(recorded).as_deref(), shown, "{recorded}");
        }
    }
}
