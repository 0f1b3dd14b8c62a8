//! The functions `code.…`, and what the maps of those with many parameters say.

use std::sync::Arc;

use superhet_runtime::Value;
use superhet_runtime::catalog::{Function, Kind, Param, Params, optional, required};

use super::general::LONGEST_REGISTER;
use super::ldpc::{Decoding, Ldpc, MOST_ITERATIONS};
use super::polar::{Design, LONGEST as LONGEST_POLAR, MOST_WAYS, Polar};
use super::product::{LARGEST_POLYNOMIAL, LONGEST_SIDE, MOST_ITERATIONS as MOST_PRODUCT_ITERATIONS, Product};
use super::turbo::{MOST_ITERATIONS as MOST_TURBO_ITERATIONS, Turbo};
use super::{Code, LONGEST, alist};
use crate::error::Error;

/// The polar code that a map says.
pub(super) fn polar(value: &Value) -> Result<Code, Error> {
    let said = Said(value);
    let block_bits = said.count("block_bits", 0)?;
    let code = match value.get("frozen") {
        None if value.get("frozen_values").is_some() => {
            return Err(said.wrong("frozen_values", "places in frozen, too"));
        }
        None => {
            let design = match said.number("erasure", 0.0)? {
                0.0 => Design::Noise { snr_db: said.number("design_snr_db", 0.0)? },
                probability => Design::Erasure { probability },
            };
            Polar::designed(block_bits, said.count("info_bits", 0)?, design)?
        }
        Some(places) => {
            let places = said.counts("frozen", places)?;
            let values = match value.get("frozen_values") {
                Some(values) => said.counts("frozen_values", values)?,
                None => vec![0; places.len()],
            };
            if values.len() != places.len() || values.iter().any(|value| *value > 1) {
                let got = format!("{} numbers from 0 to {}", values.len(), values.iter().max().unwrap_or(&0));
                let wanted = "zeros and ones, one for each place in frozen";
                return Err(Error::WrongKind { parameter: "frozen_values", wanted, got });
            }
            let frozen: Vec<_> =
                places.into_iter().zip(values.into_iter().map(|value| value as u8)).collect();
            let code = Polar::new(block_bits, &frozen)?;
            let [info, _] = code.sizes();
            if said.count("info_bits", info)? != info {
                let got = format!("{} places in frozen", frozen.len());
                return Err(Error::WrongKind {
                    parameter: "info_bits",
                    wanted: "the bits that are not frozen",
                    got,
                });
            }
            code
        }
    };
    let code = if said.flag("systematic")? { code.systematic()? } else { code };
    Ok(Code::Polar(Arc::new(code.ways(said.count("list_size", 1)?)?)))
}

/// The low-density parity-check code that a map says.
pub(super) fn ldpc(value: &Value) -> Result<Code, Error> {
    let said = Said(value);
    let path = value.get("alist").and_then(Value::as_str);
    let matrix = alist::read(path.ok_or_else(|| said.wrong("alist", "the path of a file"))?)?;
    let code = if said.flag("generator")? { Ldpc::of_generator(&matrix)? } else { Ldpc::new(&matrix)? };
    let decoding = match value.get("decoder").map(Value::as_str) {
        None | Some(Some("sum_product")) => Decoding::SumProduct,
        Some(Some("min_sum")) => Decoding::MinSum,
        Some(Some("bit_flip")) => Decoding::BitFlip,
        _ => return Err(said.wrong("decoder", "sum_product, min_sum or bit_flip")),
    };
    let iterations = said.count("max_iterations", 50)?;
    Ok(Code::Ldpc(Arc::new(code.decoded(decoding, iterations, said.number("sigma", 0.5)?)?)))
}

/// The turbo code that a map says.
pub(super) fn turbo(value: &Value) -> Result<Code, Error> {
    let said = Said(value);
    let turbo = Turbo::new(said.count("frame_bits", 0)?, said.count("max_iterations", 8)?)?;
    Ok(Code::Turbo(Arc::new(turbo)))
}

/// The product code that a map says.
pub(super) fn product(value: &Value) -> Result<Code, Error> {
    let said = Said(value);
    let count = |name, default| said.count(name, default);
    let polynomial = |name| Ok(i64::try_from(said.count(name, 3)?).unwrap_or(i64::MAX));
    let product = Product::new(
        [polynomial("row_polynomial")?, polynomial("column_polynomial")?],
        [count("row_bits", 0)?, count("column_bits", 0)?],
        [count("omitted", 0)?, count("zeros", 0)?],
        count("max_iterations", 6)?,
    )?;
    Ok(Code::Product(Arc::new(product)))
}

/// The entries of a map, or what is there by default.
struct Said<'a>(&'a Value);

impl Said<'_> {
    fn wrong(&self, parameter: &'static str, wanted: &'static str) -> Error {
        let mut got = self.0.get(parameter).map_or_else(|| "nothing".to_owned(), Value::to_string);
        if let Some((end, _)) = got.char_indices().nth(60) {
            got.truncate(end);
            got.push('…');
        }
        Error::WrongKind { parameter, wanted, got }
    }

    fn count(&self, parameter: &'static str, default: usize) -> Result<usize, Error> {
        let Some(value) = self.0.get(parameter) else { return Ok(default) };
        count(value).ok_or_else(|| self.wrong(parameter, "a whole number that is not negative"))
    }

    fn counts(&self, parameter: &'static str, list: &Value) -> Result<Vec<usize>, Error> {
        let counts = list.as_list().and_then(|list| list.iter().map(count).collect());
        counts.ok_or_else(|| self.wrong(parameter, "a list of whole numbers that are not negative"))
    }

    fn number(&self, parameter: &'static str, default: f64) -> Result<f64, Error> {
        let Some(value) = self.0.get(parameter) else { return Ok(default) };
        value.as_f64().ok_or_else(|| self.wrong(parameter, "a number"))
    }

    fn flag(&self, parameter: &'static str) -> Result<bool, Error> {
        match self.0.get(parameter) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(self.wrong(parameter, "true or false")),
        }
    }
}

/// A whole number, however it is written.
fn count(value: &Value) -> Option<usize> {
    let whole = value.as_f64().filter(|number| number.fract() == 0.0 && (0.0..9e15).contains(number));
    whole.map(|number| number as usize)
}

/// A map of the kind, with those parameters.
fn map(kind: &'static str, params: &Params, names: &[&'static str]) -> Vec<(&'static str, Value)> {
    let given = names.iter().map(|name| (*name, params.value(name).clone()));
    std::iter::once(("kind", Value::from(kind))).chain(given).collect()
}

/// The parameter `systematic`.
const SYSTEMATIC: Param = optional(
    "systematic",
    Kind::Bool,
    "",
    "false",
    "Whether the bits are also among those that are sent, with their places bit-reversed.",
);

superhet_runtime::catalogued! {
    /// How files find the functions that give codes.
    const FUNCTIONS: &[Function] = &[
        Function {
            name: "code.convolutional",
            summary: "A convolutional code of rate 1/n; by default that of constraint length 7 and rate 1/2.",
            params: &[
                optional(
                    "frame_bits",
                    Kind::Integer(1, LONGEST as i64),
                    "bits",
                    "1",
                    "How many bits a frame has.",
                ),
                optional(
                    "frames",
                    Kind::Choice(&["streaming", "terminated", "padded", "truncated", "tailbiting"]),
                    "",
                    "\"streaming\"",
                    "How frames begin and end; padded: terminated, and zeros fill what is sent behind their bits up to whole bytes.",
                ),
                optional(
                    "polynomials",
                    Kind::Numbers,
                    "",
                    "[109, 79]",
                    "The bits of the register that each sent bit is the parity of, the newest lowest: 79 for 0o171, 109 for 0o133; negative where it is inverted.",
                ),
                optional(
                    "constraint",
                    Kind::Integer(2, LONGEST_REGISTER as i64),
                    "bits",
                    "7",
                    "The constraint length: the register's bits with the newest.",
                ),
            ],
            call: |params| {
                let value = Value::map([
                    ("kind", Value::from("convolutional")),
                    ("frame_bits", params.count("frame_bits").into()),
                    ("frames", params.text("frames").into()),
                    ("polynomials", params.value("polynomials").clone()),
                    ("constraint", params.count("constraint").into()),
                ]);
                Ok(Code::from_value("polynomials", &value).map(|_| value)?)
            },
        },
        Function {
            name: "code.repetition",
            summary: "Each bit several times.",
            params: &[
                optional("repetitions", Kind::Integer(1, 65536), "", "3", "How often."),
                optional(
                    "threshold",
                    Kind::Float(0.0, 1.0),
                    "",
                    "0.5",
                    "More ones than this part of all are a one.",
                ),
            ],
            call: |params| {
                Ok(Value::map([
                    ("kind", Value::from("repetition")),
                    ("repetitions", params.count("repetitions").into()),
                    ("threshold", params.float("threshold").into()),
                ]))
            },
        },
        Function {
            name: "code.polar",
            summary: "A polar code, in the bit order of Arikan's paper; its frozen bits are given, or chosen for a channel.",
            params: &[
                required(
                    "block_bits",
                    Kind::Integer(2, LONGEST_POLAR as i64),
                    "bits",
                    "The bits that are sent, a power of two.",
                ),
                required(
                    "info_bits",
                    Kind::Integer(1, LONGEST_POLAR as i64),
                    "bits",
                    "Those of them that are not frozen.",
                ),
                optional(
                    "design_snr_db",
                    Kind::Float(-100.0, 100.0),
                    "dB",
                    "0.0",
                    "The noise that the frozen bits are chosen for: the energy of a sent bit by the noise density.",
                ),
                optional(
                    "erasure",
                    Kind::Float(0.0, 1.0),
                    "",
                    "0.0",
                    "Or, where this is not 0, the probability that a sent bit is lost.",
                ),
                optional(
                    "frozen",
                    Kind::Numbers,
                    "",
                    "[]",
                    "The frozen places, where they are not to be chosen.",
                ),
                optional(
                    "frozen_values",
                    Kind::Numbers,
                    "",
                    "[]",
                    "For each of them 0 or 1; nothing: all are 0.",
                ),
                SYSTEMATIC,
                optional(
                    "list_size",
                    Kind::Integer(1, MOST_WAYS as i64),
                    "",
                    "1",
                    "The ways that the decoder follows; 1 is successive cancellation.",
                ),
            ],
            call: |params| {
                let mut map = map("polar", params, &["block_bits", "info_bits", "systematic", "list_size"]);
                let is_given = |name: &&str| params.value(name).as_list().is_some_and(|list| !list.is_empty());
                let given: Vec<&str> = ["frozen", "frozen_values"].into_iter().filter(is_given).collect();
                let others = if given.is_empty() { vec!["design_snr_db", "erasure"] } else { given };
                map.extend(others.into_iter().map(|name| (name, params.value(name).clone())));
                let value = Value::map(map);
                Ok(polar(&value).map(|_| value)?)
            },
        },
        Function {
            name: "code.ldpc",
            summary: "A low-density parity-check code, whose matrix is in a file in MacKay's alist format.",
            params: &[
                required("alist", Kind::Path, "", "The file."),
                optional(
                    "generator",
                    Kind::Bool,
                    "",
                    "false",
                    "Whether the file has the generator matrix [I P] instead of the parity-check matrix.",
                ),
                optional(
                    "decoder",
                    Kind::Choice(&["sum_product", "min_sum", "bit_flip"]),
                    "",
                    "\"sum_product\"",
                    "How blocks are decoded: min_sum takes less time, bit_flip knows hard bits only.",
                ),
                optional(
                    "max_iterations",
                    Kind::Integer(1, MOST_ITERATIONS as i64),
                    "",
                    "50",
                    "A decoder that has not found a block then gives what it has.",
                ),
                optional(
                    "sigma",
                    Kind::Float(1e-3, 1e3),
                    "",
                    "0.5",
                    "The standard deviation of the noise of soft bits, for sum_product.",
                ),
            ],
            call: |params| {
                let names = ["alist", "generator", "decoder", "max_iterations", "sigma"];
                let mut map = map("ldpc", params, &names);
                let [info, block] = ldpc(&Value::map(map.clone()))?.sizes();
                map.extend([("info_bits", Value::from(info)), ("block_bits", block.into())]);
                Ok(Value::map(map))
            },
        },
        Function {
            name: "code.turbo",
            summary: "The turbo code of LTE: of K bits 3 K + 12 are sent.",
            params: &[
                required(
                    "frame_bits",
                    Kind::Integer(40, 6144),
                    "bits",
                    "How many bits a frame has: 40 to 512 by 8, to 1024 by 16, to 2048 by 32, to 6144 by 64.",
                ),
                optional(
                    "max_iterations",
                    Kind::Integer(1, MOST_TURBO_ITERATIONS as i64),
                    "",
                    "8",
                    "A decoder whose two codes do not agree by then gives what it has.",
                ),
            ],
            call: |params| {
                let value = Value::map(map("turbo", params, &["frame_bits", "max_iterations"]));
                Ok(turbo(&value).map(|_| value)?)
            },
        },
        Function {
            name: "code.product",
            summary: "A product code: each row of bits a word of one convolutional code that ends, each column one of another.",
            params: &[
                required(
                    "row_bits",
                    Kind::Integer(1, LONGEST_SIDE as i64),
                    "bits",
                    "The bits of a row, without its end.",
                ),
                required("column_bits", Kind::Integer(1, LONGEST_SIDE as i64), "bits", "Those of a column."),
                optional(
                    "row_polynomial",
                    Kind::Integer(2, LARGEST_POLYNOMIAL),
                    "",
                    "3",
                    "What the register of a row feeds back, its constant term in the highest bit; 3 is a parity bit.",
                ),
                optional("column_polynomial", Kind::Integer(2, LARGEST_POLYNOMIAL), "", "3", "That of a column."),
                optional(
                    "omitted",
                    Kind::Integer(0, LONGEST_SIDE as i64),
                    "bits",
                    "0",
                    "So many bits of the first row are zeros that are not sent.",
                ),
                optional(
                    "zeros",
                    Kind::Integer(0, LONGEST_SIDE as i64),
                    "bits",
                    "0",
                    "So many behind them are zeros that are sent.",
                ),
                optional(
                    "max_iterations",
                    Kind::Integer(1, MOST_PRODUCT_ITERATIONS as i64),
                    "",
                    "6",
                    "A decoder whose rows and columns do not agree by then gives what it has.",
                ),
            ],
            call: |params| {
                let names = [
                    "row_bits",
                    "column_bits",
                    "row_polynomial",
                    "column_polynomial",
                    "omitted",
                    "zeros",
                    "max_iterations",
                ];
                let value = Value::map(map("product", params, &names));
                Ok(product(&value).map(|_| value)?)
            },
        },
        Function {
            name: "code.dummy",
            summary: "Each bit once.",
            params: &[],
            call: |_| Ok(Value::map([("kind", "dummy")])),
        },
    ];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fec::code::alist::tests::{array, written};

    fn call(name: &str, given: &[(&str, Value)]) -> Result<Value, String> {
        let function = FUNCTIONS.iter().find(|function| function.name == name).unwrap();
        let given = given.iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
        function.call(&given).map_err(|errors| format!("{errors:?}"))
    }

    #[test]
    fn functions_give_codes() {
        for name in ["code.convolutional", "code.repetition", "code.dummy"] {
            let value = call(name, &[]).unwrap();
            assert!(Code::from_value("code", &value).is_ok(), "{value}");
        }
        let given = [("polynomials", vec![Value::from(1), Value::from(128)].into())];
        assert!(call("code.convolutional", &given).is_err());
    }

    #[test]
    fn a_polar_code_is_designed_or_given() {
        let size = [("block_bits", Value::from(8)), ("info_bits", 4.into())];
        let erasure = [&size[..], &[("erasure", 0.5.into()), ("list_size", 4.into())]].concat();
        let value = call("code.polar", &erasure).unwrap();
        let Code::Polar(designed) = Code::from_value("code", &value).unwrap() else { panic!("{value}") };
        assert_eq!((designed.frozen(), designed.ways), (vec![0, 1, 2, 4], 4));
        let places = vec![Value::from(4), 0.into(), 1.into(), 2.into()];
        let values = vec![Value::from(1), 0.into(), 0.into(), 0.into()];
        let frozen = [("frozen", Value::from(places)), ("frozen_values", values.into())];
        let value = call("code.polar", &[&size[..], &frozen].concat()).unwrap();
        let Code::Polar(given) = Code::from_value("code", &value).unwrap() else { panic!("{value}") };
        assert_eq!((given.frozen(), given.frame[4]), (vec![0, 1, 2, 4], 1));
        for wrong in [
            vec![frozen[1].clone()],
            vec![("frozen", Value::from(vec![Value::from(0)]))],
            vec![("frozen", vec![Value::from(0.5); 4].into())],
            vec![frozen[0].clone(), ("frozen_values", vec![Value::from(1); 3].into())],
            vec![frozen[0].clone(), ("frozen_values", vec![Value::from(2); 4].into())],
        ] {
            assert!(call("code.polar", &[&size[..], &wrong].concat()).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_turbo_code_has_a_length_of_the_standard() {
        let value = call("code.turbo", &[("frame_bits", 1056.into())]).unwrap();
        assert_eq!(Code::from_value("code", &value).unwrap().sizes(), [1056, 3180]);
        let error = call("code.turbo", &[("frame_bits", 1057.into())]).unwrap_err();
        assert!(error.contains("by 32"), "{error}");
    }

    #[test]
    fn a_product_code_has_rows_and_columns() {
        let given = [("row_bits", Value::from(26)), ("column_bits", 6.into()), ("omitted", 9.into())];
        let value = call("code.product", &given).unwrap();
        assert_eq!(Code::from_value("code", &value).unwrap().sizes(), [147, 180]);
        let error = call("code.product", &[&given[..], &[("zeros", 17.into())]].concat()).unwrap_err();
        assert!(error.contains("omitted and zeros"), "{error}");
    }

    #[test]
    fn a_matrix_comes_from_a_file() {
        let path = std::env::temp_dir().join(format!("superhet-{}.alist", std::process::id()));
        std::fs::write(&path, written(&array(7, 3, 6))).unwrap();
        let alist = ("alist", Value::from(path.to_str().unwrap()));
        let value = call("code.ldpc", &[alist.clone(), ("decoder", "min_sum".into())]).unwrap();
        let sizes = ["info_bits", "block_bits"].map(|name| value.get(name).and_then(Value::as_u64));
        assert_eq!(sizes, [Some(23), Some(42)]);
        let Code::Ldpc(code) = Code::from_value("code", &value).unwrap() else { panic!("{value}") };
        assert_eq!((code.sizes(), code.decoding), ([23, 42], Decoding::MinSum));
        let error = call("code.ldpc", &[alist, ("generator", true.into())]).unwrap_err();
        assert!(error.contains("[I P]"), "{error}");
        std::fs::remove_file(path).unwrap();
        let error = call("code.ldpc", &[("alist", "/no/such/folder/x".into())]).unwrap_err();
        assert!(error.contains("/no/such/folder/x"), "{error}");
    }
}
