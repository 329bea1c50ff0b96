//! The part of the analyzer's address that says what the page shows: `#/functions?f=thread+%3D+%22main%22`.

use std::fmt::Write;
use std::str::FromStr;

/// A longer text is no state of the page. Browsers allow longer addresses.
const MAX_BYTES: usize = 100_000;

/// The state of the analyzer's page, as in its address after `#`: it begins with a slash. It contains no character that has
/// a meaning in HTML, except `&`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PageState(String);

impl PageState {
    pub(crate) fn text(&self) -> &str {
        &self.0
    }
}

impl FromStr for PageState {
    type Err = String;

    /// Reads the part of an address from `#` on, or a whole address without an access token.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let state = text.split_once('#').map_or(text, |(_, state)| state);
        if !state.starts_with('/') || state.len() > MAX_BYTES {
            let example = "#/functions?f=thread+%3D+%22main%22";
            return Err(format!("wanted the end of the page's address, from # on, such as '{example}'"));
        }
        Ok(Self(encoded(state)))
    }
}

/// The text with all characters encoded that have no place in an address.
fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        let is_allowed = byte.is_ascii_alphanumeric() || b"#$%&()*+,-./:;=?@_~!".contains(&byte);
        if is_allowed {
            encoded.push(char::from(byte));
        } else {
            write!(encoded, "%{byte:02X}").expect("writing to a String cannot fail");
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(text: &str) -> Result<String, String> {
        text.parse().map(|state: PageState| state.text().to_owned())
    }

    #[test]
    fn the_state_is_the_part_after_the_hash() {
        let functions = Ok("/functions?m=machine".to_owned());
        assert_eq!(state("#/functions?m=machine"), functions);
        assert_eq!(state("/functions?m=machine"), functions);
        assert_eq!(state("http://127.0.0.1:7070/#/functions?m=machine"), functions);
        for wrong in ["", "#", "functions", "#token=abc", "http://127.0.0.1:7070/#token=abc/home"] {
            assert!(state(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn no_character_ends_an_element_or_an_attribute() {
        assert_eq!(state("#/x?q=</script>\"'`é \n"), Ok("/x?q=%3C/script%3E%22%27%60%C3%A9%20%0A".to_owned()));
        assert_eq!(state("#/x?q=a%20b+c&f=#1"), Ok("/x?q=a%20b+c&f=#1".to_owned()));
    }
}
