//! Settings from outside a file, `NAME=VALUE`, as the command line has them.

use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use ::toml::de::DeValue;
use superhet_runtime::Value;

use crate::error::{Mistake, Place};
use crate::expression;
use crate::toml::plain;
use crate::values::Located;
use crate::variables::VariableValue;

/// A value from outside for a variable, `NAME`, or for a parameter of a block, `BLOCK.PARAMETER`.
///
/// For a block that stands for a file, `BLOCK.VARIABLE` sets a variable of that file; the blocks in it are
/// `BLOCK/INNER.PARAMETER`.
///
/// ```
/// use superhet_flow::Set;
/// let _: Set = "rate=2.4M".parse()?;           // a number
/// let _: Set = "filter.taps=[1, 1]".parse()?;  // any value of TOML
/// let _: Set = "source.path=a.cu8".parse()?;   // else text, quoted or not
/// let _: Set = "half==rate / 2".parse()?;      // an expression, as in the file
/// let _ = Set::new("rate", 2.4e6);
/// # Ok::<(), superhet_flow::Mistake>(())
/// ```
#[derive(Clone, Debug)]
pub struct Set {
    target: String,
    value: VariableValue,
    shown: Arc<str>,
}

impl Set {
    /// Sets `target` to a value that is taken as it is: text is text, whatever it begins with.
    pub fn new(target: impl Into<String>, value: impl Into<Value>) -> Self {
        let (target, value) = (target.into(), value.into());
        let shown = format!("{target}={value}").into();
        Set { target, value: VariableValue::Ready(Some(Located::new(value, &current()))), shown }
    }

    /// The block, or `None` for a variable; and the parameter or variable.
    pub(crate) fn target(&self) -> (Option<&str>, &str) {
        match self.target.rsplit_once('.') {
            Some((block, parameter)) => (Some(block), parameter),
            None => (None, &self.target),
        }
    }

    pub(crate) fn value(&self) -> &VariableValue {
        &self.value
    }

    pub(crate) fn place(&self) -> Place {
        Place::Set(self.shown.clone())
    }
}

/// As it was given, `NAME=VALUE`.
impl fmt::Display for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl FromStr for Set {
    type Err = Mistake;

    fn from_str(text: &str) -> Result<Self, Mistake> {
        let at = || Place::Set(text.into());
        let (target, written) = text
            .split_once('=')
            .map(|(target, written)| (target.trim(), written))
            .ok_or_else(|| Mistake::Setting {
                at: at(),
                problem: "expected NAME=VALUE or BLOCK.PARAMETER=VALUE".to_owned(),
            })?;
        if target.is_empty() {
            return Err(Mistake::Setting { at: at(), problem: "expected a name before the =".to_owned() });
        }
        let value = value(written);
        let raw = value.as_str().is_none().then(|| written.into());
        let located = Located { value, folder: current(), raw };
        Ok(Set { target: target.to_owned(), value: VariableValue::Written(located), shown: text.into() })
    }
}

/// What a value on the command line says: any value of TOML, or a number as expressions have them, or text.
///
/// ```
/// assert_eq!(superhet_flow::value("2.4M"), superhet_runtime::Value::Float(2.4e6));
/// ```
pub fn value(written: &str) -> Value {
    let toml = DeValue::parse(written.trim()).ok().and_then(|value| plain(value.get_ref()).ok());
    let number = || expression::literal(written.trim()).map(Value::Float);
    toml.or_else(number).unwrap_or_else(|| written.into())
}

fn current() -> Arc<Path> {
    Path::new("").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_a_value_a_number_or_text() {
        for (written, expected) in [
            ("2e6", Value::Float(2e6)),
            ("-2.4M", Value::Float(-2.4e6)),
            ("7", Value::Int(7)),
            ("true", Value::Bool(true)),
            ("'7'", "7".into()),
            ("[1, 2]", vec![Value::Int(1), Value::Int(2)].into()),
            ("1-2", "1-2".into()),
            ("2026-01-02", "2026-01-02".into()),
            ("a.cu8", "a.cu8".into()),
            ("/tmp/x y", "/tmp/x y".into()),
            ("=rate / 2", "=rate / 2".into()),
            ("", "".into()),
        ] {
            assert_eq!(value(written), expected, "{written}");
        }
    }

    #[test]
    fn a_setting_without_a_name_or_a_value_is_refused() {
        let problem = |text: &str| text.parse::<Set>().unwrap_err().to_string();
        assert_eq!(problem("rate"), "setting rate: expected NAME=VALUE or BLOCK.PARAMETER=VALUE");
        assert_eq!(problem("=2"), "setting =2: expected a name before the =");
    }
}
