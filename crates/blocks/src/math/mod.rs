//! Arithmetic, item by item.

pub mod add;
pub mod add_const;
pub mod conjugate;
pub mod multiply;
pub mod multiply_conjugate;
pub mod multiply_const;
pub mod rotator;
pub mod saxpy;
pub mod subtract;

pub use add::Add;
pub use add_const::AddConst;
pub use conjugate::Conjugate;
pub use multiply::Multiply;
pub use multiply_conjugate::MultiplyConjugate;
pub use multiply_const::MultiplyConst;
pub use rotator::Rotator;
pub use saxpy::Saxpy;
pub use subtract::Subtract;
