//! The random numbers of the benches.

/// A small generator of repeatable random numbers (PCG).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A number below a limit.
    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mixed = (((self.0 >> 18) ^ self.0) >> 27) as u32;
        let turned = mixed.rotate_right((self.0 >> 59) as u32);
        ((u64::from(turned) * u64::from(limit)) >> 32) as u32
    }
}
