//! Bits: how many lie in an item, and in which order.
//!
//! | block | takes of each item | gives in each item |
//! |---|---|---|
//! | `repack_bits` | the lowest `k` | the lowest `l` |
//! | `pack_k_bits` | the lowest | the lowest `k` |
//! | `unpack_k_bits` | the lowest `k` | the lowest |
//! | `packed_to_unpacked` | all | the lowest `bits` |
//! | `unpacked_to_packed` | the lowest `bits` | all |

pub mod pack_k_bits;
pub mod packed_to_unpacked;
pub mod repack;
pub mod repack_bits;
pub mod unpack_k_bits;
pub mod unpacked_to_packed;

pub use repack::{BitOrder, Repack, RepackPackets, Width, Word};
