//! Codes of blocks for packets: Reed-Solomon codes, and short binary codes.

pub mod cyclic;
pub mod field;
pub mod reed_solomon;

pub use cyclic::Cyclic;
pub use field::Field;
pub use reed_solomon::{Corrected, ReedSolomon, RsSettings};
