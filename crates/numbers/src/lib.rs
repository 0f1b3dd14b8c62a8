//! Numbers of samples from bytes and into them: the loops of `superhet-io`, which is compiled for size, through which all samples go.
//!
//! None of them is inlined: in a function that is compiled for size a loop is not vectorised.
#![forbid(unsafe_code)]

mod decode;
mod encode;
mod frames;
mod number;

pub use decode::{decode, decode_s24, decode_u8_around_128};
pub use encode::encode;
pub use frames::{channel, put_channel, turn};
pub use number::{Endian, Number};
