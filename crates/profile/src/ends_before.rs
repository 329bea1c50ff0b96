//! Stores how many ends come before each node: one bit per node, and a count per 64 nodes.
//!
//! ```text
//! nodes   0..64      64..128    128..
//! bits    0110…      0001…      …
//! counts  0          17         40      ends before the first of the 64 nodes
//! ```
//!
//! One number per node would need 20 times as much memory. So most of this data fits into the CPU cache.

/// Number of nodes that share a count.
const BLOCK: usize = u64::BITS as usize;

/// The nodes that are ends.
#[derive(Debug)]
pub struct EndsBefore {
    bits: Vec<u64>,
    /// For each 64 nodes, the number of ends before them.
    counts: Vec<u32>,
}

impl EndsBefore {
    /// Prepares the counts for a tree with `node_count` nodes. `ends` can be in any order and can contain duplicates.
    pub fn new(node_count: usize, ends: impl Iterator<Item = u32>) -> Self {
        // There is one additional node at the end. The count before this node is the total number of ends.
        let mut bits = vec![0_u64; node_count / BLOCK + 1];
        ends.for_each(|node| bits[node as usize / BLOCK] |= 1 << (node as usize % BLOCK));
        let counts = bits.iter().scan(0, |sum, bits| Some(std::mem::replace(sum, *sum + bits.count_ones())));
        Self { counts: counts.collect(), bits }
    }

    /// The number of ends before `node`, which can be one past the last node.
    #[inline]
    pub fn at(&self, node: u32) -> u32 {
        let (block, place) = (node as usize / BLOCK, node as usize % BLOCK);
        self.counts[block] + (self.bits[block] & ((1 << place) - 1)).count_ones()
    }

    /// The ends, ascending.
    pub fn nodes(&self) -> Vec<u32> {
        let last = self.counts.last().zip(self.bits.last()).map_or(0, |(count, bits)| count + bits.count_ones());
        let mut nodes = Vec::with_capacity(last as usize);
        for (block, bits) in self.bits.iter().enumerate() {
            let mut left = *bits;
            while left != 0 {
                nodes.push((block * BLOCK) as u32 + left.trailing_zeros());
                left &= left - 1;
            }
        }
        nodes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn counts_are_those_of_counting(is_end in proptest::collection::vec(any::<bool>(), 1..300)) {
            let nodes: Vec<u32> = (0..).zip(&is_end).filter(|(_, is_end)| **is_end).map(|(node, _)| node).collect();
            let ends = EndsBefore::new(is_end.len(), nodes.iter().rev().chain(&nodes).copied());
            prop_assert_eq!(ends.nodes(), &nodes[..]);
            for node in 0..=is_end.len() as u32 {
                prop_assert_eq!(ends.at(node) as usize, nodes.iter().filter(|end| **end < node).count());
            }
        }
    }
}
