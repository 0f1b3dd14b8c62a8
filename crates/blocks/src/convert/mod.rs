//! Items of one type made of items of another.
//!
//! Integers hold samples with full scale = 1.0: the largest code is about 1.
//!
//! | integer | real | complex, interleaved IQ |
//! |---|---|---|
//! | `u8` | [`UcharToFloat`], [`FloatToUchar`] | [`Cu8ToC32`], [`C32ToCu8`] |
//! | `i8` | [`CharToFloat`], [`FloatToChar`] | [`Cs8ToC32`], [`C32ToCs8`] |
//! | `i16` | [`ShortToFloat`], [`FloatToShort`] | [`Cs16ToC32`], [`C32ToCs16`] |
//!
//! With a scale of one's own: [`ToFloat`], [`FromFloat`]; of parts in turn, [`InterleavedToComplex`],
//! [`ComplexToInterleaved`].

pub mod alaw_decode;
pub mod alaw_encode;
pub mod c32_to_cs16;
pub mod c32_to_cs8;
pub mod c32_to_cu8;
pub mod char_to_float;
pub mod char_to_short;
pub mod complex_to_arg;
pub mod complex_to_float;
pub mod complex_to_imag;
pub mod complex_to_interleaved_char;
pub mod complex_to_interleaved_short;
pub mod complex_to_mag;
pub mod complex_to_mag_squared;
pub mod complex_to_magphase;
pub mod complex_to_real;
pub mod cs16_to_c32;
pub mod cs8_to_c32;
pub mod cu8_to_c32;
pub mod endian_swap;
pub mod float_to_char;
pub mod float_to_complex;
pub mod float_to_int;
pub mod float_to_short;
pub mod float_to_uchar;
pub mod g711;
pub mod int_to_float;
pub mod interleaved;
pub mod interleaved_char_to_complex;
pub mod interleaved_short_to_complex;
pub mod magphase_to_complex;
pub mod reinterpret;
pub mod scaled;
pub mod short_to_char;
pub mod short_to_float;
pub mod swap_iq;
pub mod uchar_to_float;
pub mod ulaw_decode;
pub mod ulaw_encode;

pub use c32_to_cs8::C32ToCs8;
pub use c32_to_cs16::C32ToCs16;
pub use c32_to_cu8::C32ToCu8;
pub use char_to_float::CharToFloat;
pub use char_to_short::CharToShort;
pub use complex_to_arg::ComplexToArg;
pub use complex_to_float::ComplexToFloat;
pub use complex_to_imag::ComplexToImag;
pub use complex_to_mag::ComplexToMag;
pub use complex_to_mag_squared::ComplexToMagSquared;
pub use complex_to_magphase::ComplexToMagphase;
pub use complex_to_real::ComplexToReal;
pub use cs8_to_c32::Cs8ToC32;
pub use cs16_to_c32::Cs16ToC32;
pub use cu8_to_c32::Cu8ToC32;
pub use endian_swap::EndianSwap;
pub use float_to_char::FloatToChar;
pub use float_to_complex::{FloatToComplex, RealToComplex};
pub use float_to_short::FloatToShort;
pub use float_to_uchar::FloatToUchar;
pub use g711::{G711Decode, G711Encode, Law};
pub use interleaved::{ComplexToInterleaved, InterleavedToComplex};
pub use magphase_to_complex::MagphaseToComplex;
pub use reinterpret::Reinterpret;
pub use scaled::{FromFloat, ToFloat};
pub use short_to_char::ShortToChar;
pub use short_to_float::ShortToFloat;
pub use swap_iq::SwapIq;
pub use uchar_to_float::UcharToFloat;
