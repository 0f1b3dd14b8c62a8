//! What `multiply_const_vector` and `add_const_vector` share: a constant for each place of a vector.

macro_rules! const_vector {
    ($(#[$doc:meta])* $Block:ident, $name:literal, $summary:literal, $out:literal;
        $($item:ty => $whole:expr),+) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $Block<T> {
            constants: Vec<T>,
        }

        #[declare(
            name = $name,
            category = "math",
            summary = $summary,
            items(C32, f32, i32, i16, u8),
            ports(
                input("in", "item", "x: vectors of as many items as there are constants"),
                output("out", "item", $out),
                set_port("new values of constants, as many as before")
            )
        )]
        impl<T: FromNumber + ToValue> $Block<T> {
            /// One constant for each place of a vector.
            ///
            /// # Errors
            /// [`Error::Empty`] where there is none, [`Error::OutOfRange`] where there are more than 2²⁴.
            pub fn new(
                /// The constants; complex ones as [re, im].
                #[param(live, by = Number, set = set_constants)]
                constants: Vec<T>,
            ) -> Result<Self, Error> {
                if constants.is_empty() {
                    return Err(Error::Empty { parameter: "constants", wanted: "at least one" });
                }
                check_to_one("constants", constants.len())?;
                Ok($Block { constants })
            }

            fn set_constants(&mut self, constants: Vec<T>) -> Result<(), BlockError> {
                if constants.len() != self.constants.len() {
                    let (got, wanted) = (constants.len(), self.constants.len());
                    return Err(format!("constants: expected {wanted} as before, got {got}").into());
                }
                self.constants = constants;
                Ok(())
            }
        }

        $(#[declare]
        impl ::superhet_runtime::Pure for $Block<$item> {
            type In = $item;
            type Out = $item;
            fn shape(&self) -> ::superhet_runtime::Shape {
                let length = self.constants.len();
                ::superhet_runtime::Shape {
                    ratio: Ratio { interpolation: length, decimation: length },
                    ..Default::default()
                }
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
    };
}
pub(crate) use const_vector;
