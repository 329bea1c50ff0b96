//! Readable names of Scala code.
//!
//! Scala allows signs in names, which the JVM does not show well. The compiler encodes them: `+=` is `$plus$eq`. It adds `$` to
//! the class of an object, and makes methods of anonymous functions.
//!
//! Source of the encoding: `scala.reflect.NameTransformer` of Scala 2.13, which Scala 3 uses, too. Names of anonymous
//! functions: seen in classes of Scala 2.13 and 3.3.

use super::is_number;

/// The encoded signs.
const SIGNS: [(&str, char); 18] = [
    ("$tilde", '~'),
    ("$eq", '='),
    ("$less", '<'),
    ("$greater", '>'),
    ("$bang", '!'),
    ("$hash", '#'),
    ("$percent", '%'),
    ("$up", '^'),
    ("$amp", '&'),
    ("$bar", '|'),
    ("$times", '*'),
    ("$div", '/'),
    ("$plus", '+'),
    ("$minus", '-'),
    ("$colon", ':'),
    ("$qmark", '?'),
    ("$at", '@'),
    ("$bslash", '\\'),
];

/// The name of an anonymous function's method contains this word.
const ANONYMOUS: &str = "$anonfun$";

/// The displayed name of a method of a Scala class. `None` if it is as in the source.
pub(super) fn readable(display_name: &str) -> Option<String> {
    let (path, parameters) = display_name.find('(').map_or((display_name, ""), |at| display_name.split_at(at));
    let (class, method) = path.rsplit_once('.')?;
    let simple = class.rfind('.').map_or(0, |dot| dot + 1);
    let (package, simple) = class.split_at(simple);
    // The class of an object has a `$` at its end.
    let simple = simple.strip_suffix('$').filter(|name| !name.is_empty()).unwrap_or(simple);
    let method = lambda(method).unwrap_or_else(|| decoded(method));
    let shown = format!("{package}{}.{method}{parameters}", decoded(simple));
    (shown != display_name).then_some(shown)
}

/// The name of an anonymous function's method: `main<lambda 1>`. `None` for other methods.
///
/// ```text
/// Scala 2   $anonfun$main$1      $anonfun$main$1$adapted
/// Scala 3   main$$anonfun$1      main$$anonfun$adapted$1      main$$anonfun$1$$anonfun$2      $anonfun$1
/// ```
fn lambda(method: &str) -> Option<String> {
    if let Some(rest) = method.strip_prefix(ANONYMOUS) {
        // The value of a field, which has no method.
        if is_number(rest) {
            return Some(lambda_words("", rest, false));
        }
        let adapted = rest.strip_suffix("$adapted");
        let (name, number) = adapted.unwrap_or(rest).rsplit_once('$').filter(|(_, number)| is_number(number))?;
        return Some(lambda_words(name, number, adapted.is_some()));
    }
    let mut parts = method.split("$$anonfun$");
    let name = parts.next()?;
    let parts: Vec<&str> = parts.collect();
    let number = |part: &&str| part.strip_prefix("adapted$").unwrap_or(part).to_owned();
    let numbers: Vec<String> = parts.iter().map(number).collect();
    let is_lambda = !name.is_empty() && !numbers.is_empty() && numbers.iter().all(|number| is_number(number));
    let is_adapted = parts.iter().any(|part| part.starts_with("adapted$"));
    is_lambda.then(|| lambda_words(name, &numbers.join("."), is_adapted))
}

/// An adapted lambda only converts its parameters, and calls the lambda.
fn lambda_words(name: &str, number: &str, is_adapted: bool) -> String {
    format!("{}<lambda {number}{}>", decoded(name), if is_adapted { ", adapted" } else { "" })
}

/// A name with its signs. In the middle of a word, `$at` can be the class `at` inside another class.
fn decoded(name: &str) -> String {
    let mut shown = String::with_capacity(name.len());
    let (mut rest, mut is_after_sign) = (name, true);
    while let Some(first) = rest.chars().next() {
        let sign = SIGNS.iter().find(|(text, _)| is_after_sign && rest.starts_with(text));
        if let Some((text, sign)) = sign {
            shown.push(*sign);
            rest = &rest[text.len()..];
        } else if let Some(other) = other_character(rest) {
            shown.push(other);
            (rest, is_after_sign) = (&rest[6..], true);
        } else {
            shown.push(first);
            (rest, is_after_sign) = (&rest[first.len_utf8()..], first == '_');
        }
    }
    shown
}

/// The character at the beginning of `$u0020…`. Only letters, digits and spaces, because other characters have a meaning in
/// displayed names.
fn other_character(text: &str) -> Option<char> {
    let digits = text.strip_prefix("$u")?.get(..4).filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    let character = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
    (character == ' ' || character.is_alphanumeric()).then_some(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_source() {
        for (recorded, shown) in [
            ("own.Money.$plus(own.Money)", "own.Money.+(own.Money)"),
            ("own.Money.$plus$plus$eq()", "own.Money.++=()"),
            ("own.Node.value_$eq(int)", "own.Node.value_=(int)"),
            ("own.Money.twice_$qmark(own.Money)", "own.Money.twice_?(own.Money)"),
            ("own.Money.unary_$minus()", "own.Money.unary_-()"),
            ("scala.$colon$colon.<init>(int)", "scala.::.<init>(int)"),
            ("scala.$colon$colon$.apply()", "scala.::.apply()"),
            ("own.Ledger$.add$u0020all(int)", "own.Ledger.add all(int)"),
            ("own.Ledger$.add$u0020all$$anonfun$1$$anonfun$2(int)", "own.Ledger.add all<lambda 1.2>(int)"),
            ("own.Ledger$.add$$anonfun$adapted$1(int)", "own.Ledger.add<lambda 1, adapted>(int)"),
            ("own.Main$.$anonfun$main$1(int)", "own.Main.main<lambda 1>(int)"),
            ("own.Main$.$anonfun$$plus$12$adapted(int)", "own.Main.+<lambda 12, adapted>(int)"),
            ("own.Parser.$anonfun$3(int)", "own.Parser.<lambda 3>(int)"),
            ("own.Main$package$.top(int)", "own.Main$package.top(int)"),
        ] {
            assert_eq!(readable(recorded).as_deref(), Some(shown));
        }
    }

    #[test]
    fn other_names_stay_as_they_are() {
        for name in [
            "own.Main.run(int)",
            "own.Shop$at$bar.inner$1()",
            "own.Shop$$anon$1.apply()",
            "own.Shop.$deserializeLambda$(java.lang.invoke.SerializedLambda)",
            "own.Shop.a$u0028b()",
            "own.Shop.a$u00",
            "own.Shop.a$uéééé()",
            "own.Shop.$$anonfun$1()",
            "own.Shop.$anonfun$x()",
            "main",
            "",
        ] {
            assert_eq!(readable(name), None, "{name}");
        }
    }
}
