//! Readable names of Clojure's functions. The compiler makes a class of each function, in the package of its namespace, and
//! encodes the signs that Java does not allow.
//!
//! ```text
//! my_shop.core$total_price.invokeStatic(java.lang.Object)     my-shop.core/total-price(java.lang.Object)
//! my_shop.core$total_price.invoke(java.lang.Object)           my-shop.core/total-price<invoke>(java.lang.Object)
//! my_shop.core$valid_QMARK_.invokeStatic(java.lang.Object)    my-shop.core/valid?(java.lang.Object)
//! my_shop.core$sum$fn__42.invoke(java.lang.Object)            my-shop.core/sum<fn 42>(java.lang.Object)
//! ```
//!
//! Source of the encoding: `clojure.lang.Compiler.CHAR_MAP`. The names were seen in a program of Clojure 1.12.

use super::is_number;

/// The encoded signs.
const SIGNS: [(&str, char); 24] = [
    ("_COLON_", ':'),
    ("_PLUS_", '+'),
    ("_GT_", '>'),
    ("_LT_", '<'),
    ("_EQ_", '='),
    ("_TILDE_", '~'),
    ("_BANG_", '!'),
    ("_CIRCA_", '@'),
    ("_SHARP_", '#'),
    ("_SINGLEQUOTE_", '\''),
    ("_DOUBLEQUOTE_", '"'),
    ("_PERCENT_", '%'),
    ("_CARET_", '^'),
    ("_AMPERSAND_", '&'),
    ("_STAR_", '*'),
    ("_BAR_", '|'),
    ("_LBRACE_", '{'),
    ("_RBRACE_", '}'),
    ("_LBRACK_", '['),
    ("_RBRACK_", ']'),
    ("_SLASH_", '/'),
    ("_BSLASH_", '\\'),
    ("_QMARK_", '?'),
    ("_", '-'),
];

/// The displayed name of a function of a program with Clojure. `None`: the method is no Clojure function.
pub(super) fn readable(display_name: &str) -> Option<String> {
    let start = display_name.find('(')?;
    let (path, parameters) = display_name.split_at(start);
    let (class, method) = path.rsplit_once('.')?;
    let how = match method {
        "invokeStatic" => "",
        "invoke" | "doInvoke" | "invokePrim" => method,
        _ => return None,
    };
    let (namespace, function) = class.split_once('$')?;
    // The last part of a Java class's name begins with a capital letter. Names of namespaces do not.
    if namespace.rsplit('.').next()?.starts_with(char::is_uppercase)
        || function.starts_with(|first: char| first.is_ascii_digit())
    {
        return None;
    }
    let mut parts = function.split('$');
    let name = parts.next().filter(|name| !name.is_empty())?;
    let inner = parts.map(anonymous).collect::<Option<Vec<String>>>()?;
    // The method `invoke` of a named function only calls `invokeStatic`. Anonymous functions have only `invoke`.
    let how = if how.is_empty() || !inner.is_empty() { String::new() } else { format!("<{how}>") };
    let (namespace, name) = (decoded(namespace), anonymous(name).unwrap_or_else(|| decoded(name)));
    Some(format!("{namespace}/{name}{}{how}{parameters}", inner.concat()))
}

/// The name of a function without a name: `<fn 42>` for `fn__42`.
fn anonymous(part: &str) -> Option<String> {
    let (kind, number) = part.rsplit_once("__")?;
    is_number(number).then(|| format!("<{} {number}>", decoded(kind)))
}

fn decoded(name: &str) -> String {
    let mut shown = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        match SIGNS.iter().find(|(text, _)| rest.starts_with(text)) {
            Some((text, sign)) => {
                shown.push(*sign);
                rest = &rest[text.len()..];
            }
            None => {
                shown.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_have_the_names_of_the_source() {
        for (recorded, shown) in [
            ("my_shop.core$total_price.invokeStatic(x)", Some("my-shop.core/total-price(x)")),
            ("my_shop.core$total_price.invoke(x)", Some("my-shop.core/total-price<invoke>(x)")),
            ("my_shop.core$valid_QMARK_.invokeStatic(x)", Some("my-shop.core/valid?(x)")),
            ("my_shop.core$_main.doInvoke(x)", Some("my-shop.core/-main<doInvoke>(x)")),
            ("my_shop.core$sum$fn__42.invoke(x)", Some("my-shop.core/sum<fn 42>(x)")),
            ("clojure.core$map$fn__5935$fn__5936.invoke()", Some("clojure.core/map<fn 5935><fn 5936>()")),
            ("user$a__GT_b.invokeStatic()", Some("user/a->b()")),
            ("user$eval7.invoke()", Some("user/eval7<invoke>()")),
            ("my_shop.core$fn__12.invokeStatic()", Some("my-shop.core/<fn 12>()")),
            ("java.lang.invoke.LambdaForm$DMH.0x01.invokeStatic(x)", None),
            ("clojure.lang.AFunction$1.doInvoke(x)", None),
            ("io.netty.Foo$Handler.invoke(x)", None),
            ("my_shop.core$1.invoke(x)", None),
            ("my_shop.core$total_price.applyTo(x)", None),
            ("app.Shop$load$1.invoke()", None),
            ("app.Shop.invoke()", None),
            ("app.Shop$.invoke()", None),
            ("invoke()", None),
        ] {
            assert_eq!(readable(recorded).as_deref(), shown, "{recorded}");
        }
    }
}
