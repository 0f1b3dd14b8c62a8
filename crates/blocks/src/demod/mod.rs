//! Demodulators.

pub mod am_demod;
pub mod quadrature_demod;

pub use am_demod::AmDemod;
pub use quadrature_demod::QuadratureDemod;
