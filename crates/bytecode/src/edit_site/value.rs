//! A value: the set of its possible origins in a method.

/// Maximum number of origins. A value with more origins is unknown.
const MAX_ORIGINS: usize = 8;

/// The origin of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Origin {
    /// The object on which the method is called (`this`).
    This,
    /// A parameter, counted from 0 without `this`.
    Parameter(u16),
    /// The instruction at this bytecode index: `new`, a call, a field, a constant, a calculation.
    At(u32),
    /// An exception, or too many places.
    Unknown,
}

/// A sorted set of origins. Empty if the value has no origin yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Value(Vec<Origin>);

impl Value {
    pub(super) fn of(origin: Origin) -> Self {
        Self(vec![origin])
    }

    pub(super) fn origins(&self) -> &[Origin] {
        &self.0
    }

    pub(super) fn contains(&self, origin: Origin) -> bool {
        self.0.contains(&origin)
    }

    /// Adds the origins of another value. True if the set changed.
    pub(super) fn unite(&mut self, other: &Self) -> bool {
        let count = self.0.len();
        let is_full = *self.0 == [Origin::Unknown];
        if is_full {
            return false;
        }
        for origin in &other.0 {
            if let Err(row) = self.0.binary_search(origin) {
                self.0.insert(row, *origin);
            }
        }
        if self.0.len() > MAX_ORIGINS {
            self.0 = vec![Origin::Unknown];
            return true;
        }
        self.0.len() != count
    }
}
