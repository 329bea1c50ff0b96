//! Compares the bytes of stack frames, to recognise blocks of frames that were read before.
//!
//! A block consists of the bytes of eight frames in the chunk, and the stack below these frames. If these bytes and the
//! stack below are equal, the resulting stacks are equal.

use super::bytes::VarintEnds;
use super::known_stack::KnownStack;
use rustc_hash::FxHashMap;
use whittle_model::StackIndex;

/// Eight frames on top of a stack, as two hashes of the frames and the stack.
///
/// The bytes themselves are not compared, because a comparison would need slow accesses to distant memory. A recording
/// has at most billions of blocks, so equal 128-bit hashes of different blocks are practically impossible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Block {
    key: u64,
    check: u64,
}

/// Odd numbers with random-looking bits: the fractional parts of the golden ratio and of the square root of 3.
const KEY_FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
const CHECK_FACTOR: u64 = 0xbb67_ae85_84ca_a73b;

impl Block {
    /// Number of frames in a block. Larger blocks need fewer lookups, but are found less often.
    pub(crate) const FRAMES: u64 = 8;

    /// The block with the frames `bytes` on top of the stack `below`.
    #[inline]
    pub(crate) fn new(below: StackIndex, bytes: &[u8]) -> Self {
        let start = Self { key: u64::from(below.0), check: bytes.len() as u64 };
        let (words, rest) = bytes.as_chunks::<8>();
        let last = rest.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
        let all = words.iter().map(|word| u64::from_le_bytes(*word)).chain([last]);
        all.fold(start, |Self { key, check }, word| Self {
            key: fold_product(key ^ word, KEY_FACTOR),
            check: fold_product(check.rotate_left(23) ^ word, CHECK_FACTOR),
        })
    }
}

/// The upper half of the 128-bit product, combined with the lower half.
#[inline]
fn fold_product(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// The blocks of one chunk.
pub(crate) struct BlockTable<'a> {
    bytes: &'a [u8],
    /// For each key, the block's second hash and its stack. If two blocks have the same key, the first block is kept.
    known: FxHashMap<u64, (u64, KnownStack)>,
}

impl<'a> BlockTable<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, known: FxHashMap::default() }
    }

    /// The stack that was remembered for this block.
    #[inline]
    pub(crate) fn find(&self, block: Block) -> Option<KnownStack> {
        self.known.get(&block.key).filter(|(check, _)| *check == block.check).map(|(_, stack)| *stack)
    }

    /// Remembers `stack` for the block.
    pub(crate) fn insert(&mut self, block: Block, stack: KnownStack) {
        self.known.entry(block.key).or_insert((block.check, stack));
    }

    /// The start of a block that ends at `end` and has frames before it. Every integer must end with its first clear
    /// high bit. Otherwise the result is a lower position.
    #[inline]
    pub(crate) fn start_before(&self, end: usize, varints_per_frame: u64) -> usize {
        // The integer before the block ends where the block starts.
        let mut ends_left = Block::FRAMES * varints_per_frame + 1;
        let (_, words) = self.bytes[..end].as_rchunks::<8>();
        for (index, word) in words.iter().rev().enumerate() {
            let ends = VarintEnds::of(u64::from_le_bytes(*word));
            let ends_here = ends.count();
            if ends_here >= ends_left {
                return end - 8 * index - ends.length_behind_last(ends_left);
            }
            ends_left -= ends_here;
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_differ_by_stack_bytes_and_length() {
        let blocks = [
            Block::new(StackIndex(1), &[1, 2, 3]),
            Block::new(StackIndex(2), &[1, 2, 3]),
            Block::new(StackIndex(1), &[1, 2, 4]),
            Block::new(StackIndex(1), &[0; 8]),
            Block::new(StackIndex(1), &[0; 9]),
        ];
        for (i, block) in blocks.iter().enumerate() {
            assert!(blocks[..i].iter().all(|other| other.key != block.key || other.check != block.check));
        }
    }

    #[test]
    fn a_block_is_found_from_its_end() {
        // Each frame is one integer. Every third integer takes two bytes.
        let bytes: Vec<u8> = (0..20).flat_map(|i| if i % 3 == 0 { vec![0x81, i] } else { vec![i] }).collect();
        let table = BlockTable::new(&bytes);
        let start = table.start_before(bytes.len(), 1);
        assert_eq!(bytes[start..].iter().filter(|byte| **byte < 0x80).count(), 8);
        assert_eq!(bytes[start - 1..=start + 1], [11, 0x81, 12]);
    }
}
