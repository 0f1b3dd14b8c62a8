//! Numbers of one type, and how one of them is written.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use crate::data::{C32, C64, Complex, Item};

/// A number of a vector, whatever its type there.
pub(super) enum Number {
    Int(i64),
    Uint(u64),
    Float(f64),
    Complex(C64),
}

/// A number of a vector: its bytes in a PMT (big endian), and its form in JSON.
pub(super) trait Element: Item {
    /// Appends its bytes.
    fn put(self, bytes: &mut Vec<u8>);
    /// The number that `size_of::<Self>()` bytes are.
    fn get(bytes: &[u8]) -> Self;
    fn to_json(self) -> Json;
    /// `None` where it is another kind of number, or out of range.
    fn from_json(json: &Json) -> Option<Self>;
    fn number(self) -> Number;
}

macro_rules! bytes {
    () => {
        fn put(self, bytes: &mut Vec<u8>) {
            bytes.extend_from_slice(&self.to_be_bytes());
        }

        fn get(bytes: &[u8]) -> Self {
            let mut own = [0; size_of::<Self>()];
            own.copy_from_slice(bytes);
            Self::from_be_bytes(own)
        }
    };
}

macro_rules! whole {
    ($($item:ty),*) => { $(impl Element for $item {
        bytes!();

        fn to_json(self) -> Json {
            self.into()
        }

        fn from_json(json: &Json) -> Option<Self> {
            match json.as_i64() {
                Some(n) => n.try_into().ok(),
                None => json.as_u64()?.try_into().ok(),
            }
        }

        fn number(self) -> Number {
            i64::try_from(self).map_or_else(|_| Number::Uint(self as u64), Number::Int)
        }
    })* };
}

whole!(i8, u16, i16, u32, i32, u64, i64);

impl Element for f64 {
    bytes!();

    /// A number, or a word for what JSON has no number for.
    fn to_json(self) -> Json {
        match self {
            _ if self.is_nan() => "NaN".into(),
            f64::INFINITY => "inf".into(),
            f64::NEG_INFINITY => "-inf".into(),
            _ => self.into(),
        }
    }

    fn from_json(json: &Json) -> Option<Self> {
        match json.as_str() {
            None => json.as_f64(),
            Some("NaN") => Some(f64::NAN),
            Some("inf") => Some(f64::INFINITY),
            Some("-inf") => Some(f64::NEG_INFINITY),
            Some(_) => None,
        }
    }

    fn number(self) -> Number {
        Number::Float(self)
    }
}

impl Element for f32 {
    bytes!();

    /// The shortest number that reads back as this one: `0.1`, not `0.10000000149011612`.
    fn to_json(self) -> Json {
        let shortest = self.to_string().parse().ok().filter(|&x: &f64| x as f32 == self);
        shortest.unwrap_or(f64::from(self)).to_json()
    }

    fn from_json(json: &Json) -> Option<Self> {
        let wide = f64::from_json(json)?;
        let narrow = wide as f32;
        (narrow.is_finite() || !wide.is_finite()).then_some(narrow)
    }

    fn number(self) -> Number {
        Number::Float(self.into())
    }
}

/// In JSON `[re, im]`.
impl<T: Element + Into<f64>> Element for Complex<T>
where
    Complex<T>: Item,
{
    fn put(self, bytes: &mut Vec<u8>) {
        self.re.put(bytes);
        self.im.put(bytes);
    }

    fn get(bytes: &[u8]) -> Self {
        let (re, im) = bytes.split_at(bytes.len() / 2);
        Complex::new(T::get(re), T::get(im))
    }

    fn to_json(self) -> Json {
        json!([self.re.to_json(), self.im.to_json()])
    }

    fn from_json(json: &Json) -> Option<Self> {
        match &json.as_array()?[..] {
            [re, im] => Some(Complex::new(T::from_json(re)?, T::from_json(im)?)),
            _ => None,
        }
    }

    fn number(self) -> Number {
        Number::Complex(C64::new(self.re.into(), self.im.into()))
    }
}

macro_rules! vectors {
    ($($kind:ident: $item:ty = $code:literal),* $(,)?) => {
        /// Numbers of one type, shared. Vectors of `u8` are [`Value::Bytes`](super::Value::Bytes).
        ///
        /// ```
        /// use superhet_runtime::{Value, value::Vector};
        /// let taps = Vector::F32([0.25, 0.5, 0.25].into());
        /// assert_eq!((taps.item(), taps.len()), ("f32", 3));
        /// assert_eq!(Value::from(taps).to_string(), r#"{"f32":[0.25,0.5,0.25]}"#);
        /// ```
        #[derive(Clone, Debug, PartialEq)]
        pub enum Vector {
            $(#[doc = concat!("Numbers of the type `", stringify!($item), "`.")] $kind(Arc<[$item]>),)*
        }

        impl Vector {
            /// The name of the type of its numbers: `i16`, `C32`, …
            pub fn item(&self) -> &'static str {
                match self { $(Vector::$kind(_) => <$item>::NAME,)* }
            }

            /// How many numbers it holds.
            pub fn len(&self) -> usize {
                match self { $(Vector::$kind(items) => items.len(),)* }
            }

            /// Whether it holds none.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// What becomes of each number.
            pub(super) fn map<R>(&self, each: impl Fn(Number) -> R) -> Vec<R> {
                match self { $(Vector::$kind(items) => items.iter().map(|x| each(x.number())).collect(),)* }
            }

            pub(super) fn to_json(&self) -> Json {
                match self { $(Vector::$kind(items) => items.iter().map(|x| x.to_json()).collect(),)* }
            }

            /// The vector that `json` says, where `item` names a type and all its numbers are of it.
            pub(super) fn from_json(item: &str, json: &Json) -> Option<Self> {
                $(if item == <$item>::NAME {
                    let items = json.as_array()?.iter().map(<$item>::from_json);
                    return items.collect::<Option<_>>().map(Vector::$kind);
                })*
                None
            }

            /// The number of the type in a PMT.
            pub(super) fn code(&self) -> u8 {
                match self { $(Vector::$kind(_) => $code,)* }
            }

            /// The size in bytes of one number of the type with this number in a PMT.
            pub(super) fn size(code: u8) -> Option<usize> {
                match code { $($code => Some(size_of::<$item>()),)* _ => None }
            }

            /// Appends the numbers' bytes.
            pub(super) fn put(&self, bytes: &mut Vec<u8>) {
                match self { $(Vector::$kind(items) => items.iter().for_each(|x| x.put(bytes)),)* }
            }

            /// The numbers that whole multiples of `size(code)` bytes are.
            pub(super) fn get(code: u8, bytes: &[u8]) -> Option<Self> {
                match code {
                    $($code => {
                        let items = bytes.chunks_exact(size_of::<$item>()).map(<$item>::get);
                        Some(Vector::$kind(items.collect()))
                    })*
                    _ => None,
                }
            }
        }
    };
}

vectors! {
    I8: i8 = 1, U16: u16 = 2, I16: i16 = 3, U32: u32 = 4, I32: i32 = 5, U64: u64 = 6, I64: i64 = 7,
    F32: f32 = 8, F64: f64 = 9, C32: C32 = 10, C64: C64 = 11,
}
