//! Blocks that change the rate of a stream.

pub mod keep_m_in_n;
pub mod keep_one_in_n;
pub mod regenerate;
pub mod repeat;

pub use keep_m_in_n::KeepMInN;
pub use keep_one_in_n::KeepOneInN;
pub use regenerate::Regenerate;
pub use repeat::Repeat;
