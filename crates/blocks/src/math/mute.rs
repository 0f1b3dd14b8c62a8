//! Silence on demand.

use std::marker::PhantomData;

use superhet_runtime::catalog::{Entry, Kind, input, optional, output, set_port};
use superhet_runtime::{BlockError, Item, Pure, Value, no_parameter};

use crate::error::Error;
use crate::item::{NUMBER_ITEM, block_of_number};

/// Passes items on, or zeros in their place while it is muted.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32`, `f32`, `i32` or `i16` | any |
/// | out `out` | the same | that of `in` |
/// | in `set` | messages | new values of `mute` |
///
/// | parameter | range |
/// |---|---|
/// | `mute` | true or false; can be changed while the block runs |
///
/// ```
/// use superhet_blocks::math::Mute;
/// use superhet_runtime::harness;
///
/// assert_eq!(harness::run::<f32, f32, _, _>(Mute::<f32>::new(true), &[1.0, 2.0]), [0.0, 0.0]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Mute<T> {
    mute: bool,
    item: PhantomData<fn() -> T>,
}

impl<T: Item> Mute<T> {
    /// Begins muted, or not.
    pub fn new(mute: bool) -> Self {
        Mute { mute, item: PhantomData }
    }
}

/// True or false, as a parameter's new value says.
pub(crate) fn flag_of(parameter: &'static str, value: &Value) -> Result<bool, Error> {
    match value {
        Value::Bool(flag) => Ok(*flag),
        value => Err(Error::WrongKind { parameter, wanted: "true or false", got: value.to_string() }),
    }
}

impl<T: Item> Pure for Mute<T> {
    type In = T;
    type Out = T;
    const IN_PLACE: bool = true;
    const PARAMETERS: &'static [&'static str] = &["mute"];

    fn with_parameter(&self, name: &str, value: &Value) -> Result<Self, BlockError> {
        match name {
            "mute" => Ok(Mute::new(flag_of("mute", value)?)),
            _ => Err(no_parameter(name, Self::PARAMETERS)),
        }
    }
    fn parameter(&self, name: &str) -> Option<Value> {
        (name == "mute").then(|| self.mute.into())
    }
    fn map(&self, x: &[T], y: &mut [T]) {
        match self.mute {
            true => y.fill(T::zeroed()),
            false => y.copy_from_slice(x),
        }
    }
    fn map_in_place(&self, x: &mut [T]) {
        if self.mute {
            x.fill(T::zeroed());
        }
    }
}

/// How files and the command line find [`Mute`].
pub const ENTRY: Entry = Entry {
    name: "mute",
    category: "math",
    summary: "Passes items on, or zeros in their place while it is muted.",
    params: &[NUMBER_ITEM, optional("mute", Kind::Bool, "", "false", "Whether it begins muted.")],
    ports: &[input("in", "item", "x"), output("out", "item", "x or 0"), set_port("new values of mute")],
    make: |params| Ok(block_of_number!(params, T => Mute::<T>::new(params.flag("mute")))),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noise;
    use superhet_runtime::harness;

    #[test]
    fn items_or_zeros_pass_wherever_the_input_is_cut() {
        let x = noise(500);
        assert_eq!(harness::run::<f32, f32, _, _>(Mute::<f32>::new(false), &x), x);
        assert_eq!(harness::run::<f32, f32, _, _>(Mute::<f32>::new(true), &x), [0.0; 500]);
        harness::assert_cut_invariant(|| Mute::<f32>::new(true), &x);
        assert!(Mute::<f32>::new(true).with_parameter("mute", &1.into()).is_err());
    }
}
