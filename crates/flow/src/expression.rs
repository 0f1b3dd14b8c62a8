//! Expressions: numbers, variables, operators and a few functions.
//!
//! | | |
//! |---|---|
//! | numbers | `2`, `0.5`, `1e6`, `2_400_000`; with a suffix `2.4M`: `G` 10⁹, `M` 10⁶, `k` 10³, `m` 10⁻³, `u` 10⁻⁶, `n` 10⁻⁹ |
//! | operators | `**` binds most and to the right, then `-x`, then `*` `/` `%`, then `+` `-`; parentheses |
//! | functions | `min max` (of any number of values), `abs sqrt sin cos tan log10 log2 ln exp floor ceil round int` |
//! | constants | `pi`, `tau` |
//!
//! All is `f64`, angles are in radians, `%` takes the sign of its left side, `int` cuts towards zero and `round` rounds
//! halves away from it.

use crate::error::{ExpressionError, shown};

/// The longest expression, in bytes.
const LONGEST: usize = 4096;
/// How deep parentheses, signs and powers may be nested.
const DEEPEST: usize = 64;

/// The value of `text`, whose variables `variable` knows: it gives their value, or says why there is none.
///
/// # Errors
/// What was expected, and at which character. Also for a result that is not a finite number.
///
/// ```
/// use superhet_flow::expression::evaluate;
/// let variable = |name: &str| match name {
///     "rate" => Ok(2e6),
///     other => Err(format!("there is no variable {other}")),
/// };
/// assert_eq!(evaluate("rate / 2 + 0.5M", &variable), Ok(1.5e6));
/// assert_eq!(
///     evaluate("rate */ 2", &variable).unwrap_err().to_string(),
///     "\"rate */ 2\", character 7: expected a value, got `/`",
/// );
/// ```
pub fn evaluate(text: &str, variable: &dyn Fn(&str) -> Result<f64, String>) -> Result<f64, ExpressionError> {
    let fail = |(position, problem): Problem| ExpressionError { expression: shown(text), position, problem };
    let tokens = tokens(text).map_err(fail)?;
    let mut parser = Parser { tokens: &tokens, next: 0, depth: 0, variable };
    let value = parser.sum().and_then(|value| parser.end().map(|()| value)).map_err(fail)?;
    match value.is_finite() {
        true => Ok(value),
        false => Err(fail((1, format!("the result is {value}, not a finite number")))),
    }
}

/// The variables that `text` mentions.
pub(crate) fn names(text: &str) -> Vec<&str> {
    let Ok(tokens) = tokens(text) else { return Vec::new() };
    let names = tokens.windows(2).filter_map(|pair| match (pair[0].what, pair[1].what) {
        (What::Name(_), What::Sign('(')) => None,
        (What::Name(name), _) => Some(name),
        _ => None,
    });
    names.filter(|name| constant(name).is_none()).collect()
}

/// The number, where `text` is one as expressions have it, with or without a sign.
pub(crate) fn literal(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let begins = unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let (value, length) = begins.then(|| number(unsigned, 1).ok()).flatten()?;
    let whole = length == unsigned.len() && value.is_finite();
    whole.then_some(if text.starts_with('-') { -value } else { value })
}

/// Whether `text` could be the name of a variable.
pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(starts_name) && text.chars().all(continues_name)
}

/// The constant of that name.
pub(crate) fn constant(name: &str) -> Option<f64> {
    match name {
        "pi" => Some(std::f64::consts::PI),
        "tau" => Some(std::f64::consts::TAU),
        _ => None,
    }
}

fn starts_name(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn continues_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// A character's position, and what is wrong there.
type Problem = (usize, String);

#[derive(Clone, Copy, Debug, PartialEq)]
struct Token<'a> {
    what: What<'a>,
    /// The position of its first character, counted from 1.
    at: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum What<'a> {
    Number(f64),
    Name(&'a str),
    /// An operator, a parenthesis or a comma; `^` stands for `**`.
    Sign(char),
    End,
}

impl What<'_> {
    fn describe(self) -> String {
        match self {
            What::Number(x) => format!("the number {x}"),
            What::Name(name) => format!("`{}`", shown(name)),
            What::Sign('^') => "`**`".to_owned(),
            What::Sign(sign) => format!("`{sign}`"),
            What::End => "the end".to_owned(),
        }
    }
}

fn tokens(text: &str) -> Result<Vec<Token<'_>>, Problem> {
    if text.len() > LONGEST {
        return Err((1, format!("expected at most {LONGEST} bytes, got {}", text.len())));
    }
    let mut tokens = Vec::new();
    let (mut rest, mut at) = (text, 1);
    while let Some(first) = rest.chars().next() {
        let (what, length) = match first {
            _ if first.is_whitespace() => (None, first.len_utf8()),
            '*' if rest.starts_with("**") => (Some(What::Sign('^')), 2),
            '+' | '-' | '*' | '/' | '%' | '(' | ')' | ',' => (Some(What::Sign(first)), 1),
            '0'..='9' | '.' => number(rest, at).map(|(x, length)| (Some(What::Number(x)), length))?,
            _ if starts_name(first) => {
                let length = rest.find(|c| !continues_name(c)).unwrap_or(rest.len());
                (Some(What::Name(&rest[..length])), length)
            }
            _ => return Err((at, format!("expected a value or an operator, got {first:?}"))),
        };
        tokens.extend(what.map(|what| Token { what, at }));
        at += rest[..length].chars().count();
        rest = &rest[length..];
    }
    tokens.push(Token { what: What::End, at });
    Ok(tokens)
}

/// The number that `text` begins with, and its length in bytes.
fn number(text: &str, at: usize) -> Result<(f64, usize), Problem> {
    let digits = |from: usize| {
        text[from..].find(|c: char| !c.is_ascii_digit() && c != '_').map_or(text.len(), |n| from + n)
    };
    let mut end = digits(0);
    if text[end..].starts_with('.') {
        end = digits(end + 1);
    }
    if text[end..].starts_with(['e', 'E']) {
        let sign = usize::from(text[end + 1..].starts_with(['+', '-']));
        if text[end + 1 + sign..].starts_with(|c: char| c.is_ascii_digit()) {
            end = digits(end + 1 + sign);
        }
    }
    let written = text[..end].replace('_', "");
    let value: f64 =
        written.parse().map_err(|_| (at, format!("expected a number, got `{}`", shown(&written))))?;
    let letters = text[end..].find(|c| !continues_name(c)).unwrap_or(text.len() - end);
    let factor = match &text[end..end + letters] {
        "" => return Ok((value, end)),
        "G" => 1e9,
        "M" => 1e6,
        "k" => 1e3,
        // Division keeps decimal fractions as near as they can be: 5m is 0.005.
        "m" => return Ok((value / 1e3, end + letters)),
        "u" | "µ" | "μ" => return Ok((value / 1e6, end + letters)),
        "n" => return Ok((value / 1e9, end + letters)),
        other => {
            let problem = format!(
                "expected an operator or one of the suffixes G, M, k, m, u, n, got `{}`",
                shown(other)
            );
            return Err((at + end, problem));
        }
    };
    Ok((value * factor, end + letters))
}

/// Recursive descent, a method for each level of binding.
struct Parser<'a> {
    tokens: &'a [Token<'a>],
    next: usize,
    depth: usize,
    variable: &'a dyn Fn(&str) -> Result<f64, String>,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Token<'a> {
        self.tokens[self.next.min(self.tokens.len() - 1)]
    }

    fn take(&mut self) -> Token<'a> {
        let token = self.peek();
        self.next += 1;
        token
    }

    fn takes(&mut self, sign: char) -> bool {
        let found = self.peek().what == What::Sign(sign);
        self.next += usize::from(found);
        found
    }

    fn expect(&mut self, sign: char, expected: &str) -> Result<(), Problem> {
        let found = self.peek();
        match self.takes(sign) {
            true => Ok(()),
            false => Err((found.at, format!("expected {expected}, got {}", found.what.describe()))),
        }
    }

    fn end(&self) -> Result<(), Problem> {
        let found = self.peek();
        match found.what {
            What::End => Ok(()),
            what => Err((found.at, format!("expected an operator or the end, got {}", what.describe()))),
        }
    }

    fn sum(&mut self) -> Result<f64, Problem> {
        let mut value = self.product()?;
        loop {
            if self.takes('+') {
                value += self.product()?;
            } else if self.takes('-') {
                value -= self.product()?;
            } else {
                return Ok(value);
            }
        }
    }

    fn product(&mut self) -> Result<f64, Problem> {
        let mut value = self.signed()?;
        loop {
            if self.takes('*') {
                value *= self.signed()?;
            } else if self.takes('/') {
                value /= self.signed()?;
            } else if self.takes('%') {
                value %= self.signed()?;
            } else {
                return Ok(value);
            }
        }
    }

    /// Every way to nest leads through here, so this is where the depth is bounded.
    fn signed(&mut self) -> Result<f64, Problem> {
        if self.depth == DEEPEST {
            return Err((self.peek().at, format!("expected at most {DEEPEST} levels of nesting")));
        }
        self.depth += 1;
        let value = if self.takes('-') {
            self.signed().map(|x| -x)
        } else if self.takes('+') {
            self.signed()
        } else {
            self.power()
        };
        self.depth -= 1;
        value
    }

    fn power(&mut self) -> Result<f64, Problem> {
        let base = self.value()?;
        if self.takes('^') { Ok(base.powf(self.signed()?)) } else { Ok(base) }
    }

    fn value(&mut self) -> Result<f64, Problem> {
        let token = self.take();
        match token.what {
            What::Number(x) => Ok(x),
            What::Name(name) if self.takes('(') => self.call(name, token.at),
            What::Name(name) => match constant(name) {
                Some(value) => Ok(value),
                None => (self.variable)(name).map_err(|problem| (token.at, problem)),
            },
            What::Sign('(') => {
                let value = self.sum()?;
                self.expect(')', "an operator or `)`")?;
                Ok(value)
            }
            what => Err((token.at, format!("expected a value, got {}", what.describe()))),
        }
    }

    fn call(&mut self, name: &str, at: usize) -> Result<f64, Problem> {
        let mut values = vec![self.sum()?];
        while self.takes(',') {
            values.push(self.sum()?);
        }
        self.expect(')', "`,` or `)`")?;
        let function = match name {
            "min" => return Ok(values.into_iter().fold(f64::INFINITY, f64::min)),
            "max" => return Ok(values.into_iter().fold(f64::NEG_INFINITY, f64::max)),
            _ => FUNCTIONS.iter().find(|(known, _)| *known == name),
        };
        match (function, &values[..]) {
            (Some((_, function)), [x]) => Ok(function(*x)),
            (Some(_), _) => Err((at, format!("{name} takes one value, got {}", values.len()))),
            (None, _) => {
                let known = FUNCTIONS.iter().map(|(known, _)| *known).chain(["min", "max"]);
                let near = crate::error::near(name, known);
                Err((at, format!("there is no function {}{near}", shown(name))))
            }
        }
    }
}

type Function = fn(f64) -> f64;

/// The functions of one value.
const FUNCTIONS: &[(&str, Function)] = &[
    ("abs", f64::abs),
    ("sqrt", f64::sqrt),
    ("sin", f64::sin),
    ("cos", f64::cos),
    ("tan", f64::tan),
    ("log10", f64::log10),
    ("log2", f64::log2),
    ("ln", f64::ln),
    ("exp", f64::exp),
    ("floor", f64::floor),
    ("ceil", f64::ceil),
    ("round", f64::round),
    ("int", f64::trunc),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> f64 {
        evaluate(text, &|name| if name == "x" { Ok(3.0) } else { Err(format!("no {name}")) }).unwrap()
    }

    fn problem(text: &str) -> (usize, String) {
        let error = evaluate(text, &|name| Err(format!("no {name}"))).unwrap_err();
        (error.position, error.problem)
    }

    #[test]
    fn operators_bind_as_in_python() {
        for (text, expected) in [
            ("1 + 2 * 3", 7.0),
            ("(1 + 2) * 3", 9.0),
            ("8 - 4 - 2", 2.0),
            ("8 / 4 / 2", 1.0),
            ("2 ** 3 ** 2", 512.0),
            ("-2 ** 2", -4.0),
            ("2 ** -1", 0.5),
            ("- -x", 3.0),
            ("7 % 4 + x", 6.0),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
    }

    #[test]
    fn numbers_may_have_underscores_exponents_and_suffixes() {
        for (text, expected) in [
            ("2_400_000", 2.4e6),
            ("1e6", 1e6),
            ("1E-3", 1e-3),
            (".5", 0.5),
            ("2.", 2.0),
            ("2.4M", 2.4e6),
            ("1090M", 1.09e9),
            ("3k", 3e3),
            ("1G", 1e9),
            ("5m", 0.005),
            ("7u", 7e-6),
            ("7µ", 7e-6),
            ("9n", 9e-9),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
    }

    #[test]
    fn functions_and_constants_are_there() {
        assert_eq!(value("min(3, 1, 2) + max(4)"), 5.0);
        assert_eq!(value("sin(pi / 2) + cos(tau)"), 2.0);
        assert_eq!(value("round(2.5) + int(-2.5) + floor(-2.5) + ceil(2.1)"), 3.0 - 2.0 - 3.0 + 3.0);
        assert_eq!(value("log10(1000) + log2(8) + ln(exp(2)) + sqrt(abs(-4)) + tan(0)"), 10.0);
    }

    #[test]
    fn an_error_says_where_and_what_was_expected() {
        let table: [(&str, usize, &str); 13] = [
            ("", 1, "expected a value, got the end"),
            ("1 +", 4, "expected a value, got the end"),
            ("(1", 3, "expected an operator or `)`, got the end"),
            ("1 2", 3, "expected an operator or the end, got the number 2"),
            ("abs(1", 6, "expected `,` or `)`, got the end"),
            ("abs(1, 2)", 1, "abs takes one value, got 2"),
            ("aps(1)", 1, "there is no function aps; did you mean abs?"),
            ("2 * y", 5, "no y"),
            ("2MHz", 2, "expected an operator or one of the suffixes G, M, k, m, u, n, got `MHz`"),
            ("1.2.3", 4, "expected an operator or the end, got the number 0.3"),
            ("ä # 1", 3, "expected a value or an operator, got '#'"),
            ("1 / 0", 1, "the result is inf, not a finite number"),
            (".", 1, "expected a number, got `.`"),
        ];
        for (text, position, expected) in table {
            assert_eq!(problem(text), (position, expected.to_owned()), "{text}");
        }
    }

    #[test]
    fn depth_and_length_are_bounded() {
        let nested = |n: usize| format!("{}1{}", "(".repeat(n), ")".repeat(n));
        assert_eq!(value(&nested(60)), 1.0);
        assert_eq!(problem(&nested(64)).1, "expected at most 64 levels of nesting");
        assert_eq!(problem(&"-".repeat(1000)).1, "expected at most 64 levels of nesting");
        assert_eq!(problem(&"1**".repeat(1000)).1, "expected at most 64 levels of nesting");
        assert_eq!(problem(&"(".repeat(1_000_000)).1, "expected at most 4096 bytes, got 1000000");
        assert_eq!(value("1+".repeat(2000).trim_end_matches('+')), 2000.0);
    }

    #[test]
    fn the_names_in_an_expression_are_its_variables() {
        assert_eq!(names("a + min(b, 2M) * pi"), ["a", "b"]);
    }
}
