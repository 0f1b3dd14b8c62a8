//! What `multiply_const_vector` and `add_const_vector` share: a constant for each place of a vector.

macro_rules! const_vector {
    ($(#[$doc:meta])* $Block:ident, $name:literal, $summary:literal, $out:literal;
        $($item:ty => $whole:expr),+) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $Block<T> {
            constants: Vec<T>,
        }

        impl<T: ::superhet_runtime::Item> $Block<T> {
            /// One constant for each place of a vector.
            ///
            /// # Errors
            /// [`Error::Empty`] where there is none, [`Error::OutOfRange`] where there are more than 2²⁴.
            pub fn new(constants: Vec<T>) -> Result<Self, Error> {
                if constants.is_empty() {
                    return Err(Error::Empty { parameter: "constants", wanted: "at least one" });
                }
                check_to_one("constants", constants.len())?;
                Ok($Block { constants })
            }
        }

        $(impl ::superhet_runtime::Pure for $Block<$item> {
            type In = $item;
            type Out = $item;
            const PARAMETERS: &'static [&'static str] = &["constants"];

            fn ratio(&self) -> Ratio {
                Ratio { interpolation: self.constants.len(), decimation: self.constants.len() }
            }
            fn with_parameter(&self, name: &str, value: &Value) -> Result<Self, BlockError> {
                if name != "constants" {
                    return Err(no_parameter(name, Self::PARAMETERS));
                }
                let constants: Vec<$item> = from_values("constants", value)?;
                if constants.len() != self.constants.len() {
                    let (got, wanted) = (constants.len(), self.constants.len());
                    return Err(format!("constants: expected {wanted} as before, got {got}").into());
                }
                Ok($Block { constants })
            }
            fn parameter(&self, name: &str) -> Option<Value> {
                let values = || self.constants.iter().map(|x| x.to_value()).collect::<Vec<Value>>();
                (name == "constants").then(|| values().into())
            }
            fn map(&self, x: &[$item], y: &mut [$item]) {
                let n = self.constants.len();
                for (y, x) in y.chunks_exact_mut(n).zip(x.chunks_exact(n)) {
                    for ((y, &x), &constant) in y.iter_mut().zip(x).zip(&self.constants) {
                        *y = $whole(x, constant);
                    }
                }
            }
        })+

        #[doc = concat!("How files and the command line find [`", stringify!($Block), "`].")]
        pub const ENTRY: Entry = Entry {
            name: $name,
            category: "math",
            summary: $summary,
            params: &[
                item_of(&["C32", "f32", "i32", "i16", "u8"], "\"C32\""),
                required("constants", Kind::Numbers, "", "The constants; complex ones as [re, im]."),
            ],
            ports: &[
                input("in", "item", "x: vectors of as many items as there are constants"),
                output("out", "item", $out),
                set_port("new values of constants, as many as before"),
            ],
            make: |params| {
                let constants = params.numbers("constants");
                Ok(block_of_item!(params, T => $Block::<T>::new(from_numbers("constants", &constants)?)?;
                    "C32" = C32, "f32" = f32, "i32" = i32, "i16" = i16, "u8" = u8))
            },
        };
    };
}
pub(crate) use const_vector;
