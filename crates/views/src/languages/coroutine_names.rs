//! Readable names of Kotlin's coroutines.
//!
//! The compiler makes a class of each suspend lambda, and of each suspend function that can be suspended in its middle. A
//! thread that runs the coroutine, or continues it, calls the method `invokeSuspend` of this class. The class's name has the
//! function and the numbers of lambdas in it: `Shop$load$1`, `ShopKt$top$2$parts$1$1`.

use super::is_number;

/// The displayed name of a coroutine: `own.Shop.load<coroutine 1>(java.lang.Object)`. `None` for other methods.
pub(super) fn readable(display_name: &str) -> Option<String> {
    let start = display_name.find('(')?;
    let (path, parameters) = display_name.split_at(start);
    let class = path.strip_suffix(".invokeSuspend")?;
    let simple = class.rfind('.').map_or(0, |dot| dot + 1);
    let (package, simple) = class.split_at(simple);
    let is_class = |part: &&str| part.starts_with(char::is_uppercase);
    let parts: Vec<&str> = simple.split('$').collect();
    // Names of classes begin with a capital letter, and names of functions and variables do not.
    let class_count = 1 + parts.iter().skip(1).take_while(|part| is_class(part)).count();
    let (classes, rest) = parts.split_at(class_count.min(parts.len()));
    let names: Vec<&str> = rest.iter().copied().filter(|part| !is_number(part)).collect();
    let numbers: Vec<&str> = rest.iter().copied().filter(|part| is_number(part)).collect();
    if names.is_empty() || numbers.is_empty() || names.iter().any(|name| name.is_empty()) {
        return None;
    }
    let (classes, names, numbers) = (classes.join("$"), names.join("."), numbers.join("."));
    Some(format!("{package}{classes}.{names}<coroutine {numbers}>{parameters}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coroutines_have_the_names_of_their_functions() {
        for (recorded, shown) in [
            ("own.Shop$load$1", Some("own.Shop.load<coroutine 1>")),
            ("own.ShopKt$top$2$parts$1$1", Some("own.ShopKt.top.parts<coroutine 2.1.1>")),
            ("own.Shop$Desk$load$1", Some("own.Shop$Desk.load<coroutine 1>")),
            ("Shop$load$1", Some("Shop.load<coroutine 1>")),
            // Copied from an inline function, or written in another way.
            ("own.Shop$load$$inlined$map$1", None),
            ("own.Shop$1", None),
            ("own.Shop", None),
            ("", None),
        ] {
            let recorded = format!("{recorded}.invokeSuspend(java.lang.Object)");
            let shown = shown.map(|shown| format!("{shown}(java.lang.Object)"));
            assert_eq!(readable(&recorded), shown, "{recorded}");
        }
        assert_eq!((readable("own.Shop$load$1.run()"), readable("invokeSuspend()")), (None, None));
    }
}
