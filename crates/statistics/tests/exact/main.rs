//! Comparison of formulas with other programs.

mod oracles;
