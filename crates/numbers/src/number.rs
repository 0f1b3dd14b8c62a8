//! What numbers are made of, and their byte order.

/// The kind of number that samples are made of, by its SigMF name in lower case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say all: kind and bits")]
pub enum Number {
    F32,
    F64,
    I32,
    I16,
    U32,
    U16,
    I8,
    U8,
}

impl Number {
    /// Every kind, in the order of the SigMF specification.
    pub const ALL: [Number; 8] = [
        Number::F32,
        Number::F64,
        Number::I32,
        Number::I16,
        Number::U32,
        Number::U16,
        Number::I8,
        Number::U8,
    ];

    /// Returns the size in bytes: 1, 2, 4 or 8.
    pub const fn bytes(self) -> usize {
        match self {
            Number::I8 | Number::U8 => 1,
            Number::I16 | Number::U16 => 2,
            Number::F32 | Number::I32 | Number::U32 => 4,
            Number::F64 => 8,
        }
    }

    /// Returns the SigMF name: `"f32"`, `"i16"`, …
    pub const fn name(self) -> &'static str {
        match self {
            Number::F32 => "f32",
            Number::F64 => "f64",
            Number::I32 => "i32",
            Number::I16 => "i16",
            Number::U32 => "u32",
            Number::U16 => "u16",
            Number::I8 => "i8",
            Number::U8 => "u8",
        }
    }
}

/// Byte order of numbers longer than a byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Endian {
    /// Least significant byte first; what nearly every recorder writes.
    Little,
    /// Most significant byte first.
    Big,
}
