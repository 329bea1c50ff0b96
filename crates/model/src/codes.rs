//! Enumerations that are stored with fixed names and numbers.
//!
//! A value is text in Parquet and JSON, so SQL can read it. In memory it is one byte. The meaning of a name or number
//! never changes.

use thiserror::Error;

/// A stored text is not a name of its enumeration.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("\"{found}\" is not a {enumeration}; known: {}", known.join(", "))]
pub struct UnknownCode {
    /// The enumeration's type name.
    pub enumeration: &'static str,
    /// The text that was found.
    pub found: String,
    /// The known names.
    pub known: &'static [&'static str],
}

/// Declares an enumeration with stored names. Variants must be numbered 0, 1, 2 … without a gap.
macro_rules! codes {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[doc = $doc:expr])* $variant:ident = $code:literal $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
        #[repr(u8)]
        pub enum $name {
            $($(#[doc = $doc])* #[cfg_attr(feature = "typescript", ts(rename = $text))] $variant = $code,)*
        }

        impl $name {
            /// All variants in the order of their numbers.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];
            /// The stored names in the order of their numbers.
            pub const NAMES: &'static [&'static str] = &[$($text,)*];

            /// The stored name.
            pub fn name(self) -> &'static str { Self::NAMES[self as usize] }

            /// The meaning of the value in one line, from the variant's documentation.
            pub fn description(self) -> &'static str {
                const TEXTS: &[&str] = &[$(concat!($($doc),*),)*];
                TEXTS[self as usize].trim()
            }

            /// The variant with the stored name `text`.
            pub fn from_name(text: &str) -> Result<Self, $crate::UnknownCode> {
                Self::NAMES.iter().position(|name| *name == text).map(|index| Self::ALL[index]).ok_or_else(|| {
                    $crate::UnknownCode { enumeration: stringify!($name), found: text.to_owned(), known: Self::NAMES }
                })
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.pad(self.name()) }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                Self::from_name(&text).map_err(serde::de::Error::custom)
            }
        }

        impl $crate::Cell for $name {
            const TYPE: $crate::CellType = $crate::CellType::required($crate::PhysicalType::Code($name::NAMES));
            fn gather(cells: &[Self]) -> $crate::ColumnValues {
                $crate::ColumnValues::Code(cells.iter().map(|cell| *cell as u8).collect())
            }
            fn scatter(values: $crate::ColumnValues) -> Result<Vec<Self>, $crate::WrongCells> {
                match values {
                    $crate::ColumnValues::Code(codes) => codes
                        .into_iter()
                        .map(|code| Self::ALL.get(code as usize).copied().ok_or($crate::WrongCells))
                        .collect(),
                    _ => Err($crate::WrongCells),
                }
            }
        }
    };
}
