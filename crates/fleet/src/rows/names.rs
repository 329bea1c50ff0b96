//! A list of values that occur repeatedly. Each value is stored once and has a number.

use rustc_hash::FxHashMap;
use std::hash::Hash;

/// Values by number, in order of first use.
#[derive(Debug, Clone)]
pub struct Names<T> {
    values: Vec<T>,
    numbers: FxHashMap<T, u32>,
}

impl<T> Default for Names<T> {
    fn default() -> Self {
        Self { values: Vec::new(), numbers: FxHashMap::default() }
    }
}

impl<T: Clone + Eq + Hash + Ord> Names<T> {
    /// The number of `value`.
    pub fn number(&mut self, value: &T) -> u32 {
        if let Some(number) = self.numbers.get(value) {
            return *number;
        }
        let number = self.values.len() as u32;
        self.values.push(value.clone());
        self.numbers.insert(value.clone(), number);
        number
    }

    /// The value with this number.
    pub fn value(&self, number: u32) -> &T {
        &self.values[number as usize]
    }

    /// For each number, the position of its value among the sorted values.
    pub fn ranks(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.values.len() as u32).collect();
        order.sort_by(|a, b| self.value(*a).cmp(self.value(*b)));
        let mut ranks = vec![0; order.len()];
        order.iter().enumerate().for_each(|(rank, number)| ranks[*number as usize] = rank as u32);
        ranks
    }
}
