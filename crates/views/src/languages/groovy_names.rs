//! Readable names of Groovy's closures. The compiler makes a class of each closure.
//!
//! ```text
//! app.Prices$_total_closure1.doCall(java.lang.Object)               app.Prices.total<closure 1>(java.lang.Object)
//! app.Prices$_total_closure1$_closure2.doCall(java.lang.Object)     app.Prices.total<closure 1.2>(java.lang.Object)
//! ```
//!
//! The names are not specified. They were seen in a program of Groovy 4.

use super::is_number;

/// The displayed name of a closure's body. `None`: the method is no closure's.
pub(super) fn readable(display_name: &str) -> Option<String> {
    let start = display_name.find('(')?;
    let (path, parameters) = display_name.split_at(start);
    let class = path.strip_suffix(".doCall")?;
    let (outer, closures) = class.split_once("$_")?;
    let (name, first) = closures.split_once("_closure")?;
    let numbers: Vec<&str> = first.split("$_closure").collect();
    let is_closure = !outer.is_empty() && !name.is_empty() && numbers.iter().all(|text| is_number(text));
    let name = if name == "_clinit_" { "<clinit>" } else { name };
    is_closure.then(|| format!("{outer}.{name}<closure {}>{parameters}", numbers.join(".")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closures_have_the_names_of_the_methods_around_them() {
        for (recorded, shown) in [
            ("app.Prices$_total_closure1.doCall(int)", Some("app.Prices.total<closure 1>(int)")),
            ("app.Prices$_all_of_closure12$_closure3.doCall()", Some("app.Prices.all_of<closure 12.3>()")),
            ("app.Prices$__clinit__closure1.doCall()", Some("app.Prices.<clinit><closure 1>()")),
            ("script$_run_closure1.doCall()", Some("script.run<closure 1>()")),
            // The same class has methods that only call the body.
            ("app.Prices$_total_closure1.call(int)", None),
            ("app.Prices$_total_closure.doCall(int)", None),
            ("app.Prices$_closure1.doCall(int)", None),
            ("app.Prices.doCall(int)", None),
            ("doCall()", None),
        ] {
            assert_eq!(readable(recorded).as_deref(), shown, "{recorded}");
        }
    }
}
