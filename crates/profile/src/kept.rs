//! Data that views store in a profile between answers.

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Stores one value per type. A value is created when it is first needed.
#[derive(Default)]
pub(crate) struct Kept {
    values: Mutex<Vec<(TypeId, Arc<dyn Any + Send + Sync>)>>,
}

impl Kept {
    /// The value of a type.
    pub(crate) fn get<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        let found = values.iter().find(|(id, _)| *id == TypeId::of::<T>()).map(|(_, value)| value.clone());
        let value = found.unwrap_or_else(|| {
            let made: Arc<dyn Any + Send + Sync> = Arc::new(T::default());
            values.push((TypeId::of::<T>(), made.clone()));
            made
        });
        value.downcast().expect("it is stored under the id of its type")
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kept").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_has_one_value() {
        let kept = Kept::default();
        *kept.get::<Mutex<u32>>().lock().expect("nobody panicked") = 7;
        assert_eq!(*kept.get::<Mutex<u32>>().lock().expect("nobody panicked"), 7);
        assert_eq!(*kept.get::<Mutex<String>>().lock().expect("nobody panicked"), "");
    }
}
