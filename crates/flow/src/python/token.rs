//! From text to tokens.

use super::{Problem, Result};
use crate::error::shown;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Int(i128),
    Float(f64),
    Imaginary(f64),
    Text(String),
    /// A name or a keyword.
    Name(String),
    Sign(&'static str),
    End,
}

impl Token {
    pub fn describe(&self) -> String {
        match self {
            Token::Int(n) => format!("the number {n}"),
            Token::Float(x) => format!("the number {x}"),
            Token::Imaginary(x) => format!("the number {x}j"),
            Token::Text(_) => "text".to_owned(),
            Token::Name(name) => format!("`{}`", shown(name)),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::End => "the end".to_owned(),
        }
    }
}

/// Longest first.
const SIGNS: &[&str] = &[
    "**", "//", "<<", ">>", "<=", ">=", "==", "!=", ":=", "->", "+", "-", "*", "/", "%", "&", "|", "^", "~",
    "<", ">", "(", ")", "[", "]", "{", "}", ",", ":", ".", "=", "@",
];

/// The tokens, and the character at which each begins, counted from 1.
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, usize)>> {
    let mut reader = Reader { rest: text, at: 1, tokens: Vec::new() };
    while let Some(first) = reader.rest.chars().next() {
        reader.token(first).map_err(|problem| problem.at(reader.at))?;
    }
    reader.tokens.push((Token::End, reader.at));
    Ok(reader.tokens)
}

struct Reader<'a> {
    rest: &'a str,
    at: usize,
    tokens: Vec<(Token, usize)>,
}

impl Reader<'_> {
    fn take(&mut self, length: usize, token: Option<Token>) {
        if let Some(token) = token {
            self.tokens.push((token, self.at));
        }
        self.at += self.rest[..length].chars().count();
        self.rest = &self.rest[length..];
    }

    fn token(&mut self, first: char) -> Result<()> {
        let rest = self.rest;
        if first.is_whitespace() {
            self.take(first.len_utf8(), None);
            return Ok(());
        }
        if first == '\\' && (rest.starts_with("\\\n") || rest.starts_with("\\\r\n")) {
            self.take(1, None);
            return Ok(());
        }
        if first == '#' {
            let length = rest.find('\n').unwrap_or(rest.len());
            self.take(length, None);
            return Ok(());
        }
        let second = rest[first.len_utf8()..].chars().next();
        if first.is_ascii_digit() || (first == '.' && second.is_some_and(|c| c.is_ascii_digit())) {
            let (token, length) = number(rest)?;
            self.take(length, Some(token));
            return Ok(());
        }
        if first == '"' || first == '\'' {
            return self.string(0, false);
        }
        if first.is_alphabetic() || first == '_' {
            let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            let (name, after) = rest.split_at(length);
            if after.starts_with(['"', '\'']) && length <= 2 {
                return match name.to_ascii_lowercase().as_str() {
                    "r" => self.string(1, true),
                    "u" => self.string(1, false),
                    "f" | "fr" | "rf" => Err(Problem::python("a formatted text f'…'")),
                    "b" | "br" | "rb" => Err(Problem::python("a text of bytes b'…'")),
                    _ => Err(Problem::new(format!("expected an operator behind `{name}`, got text"))),
                };
            }
            self.take(length, Some(Token::Name(name.to_owned())));
            return Ok(());
        }
        match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            Some(sign) => self.take(sign.len(), Some(Token::Sign(sign))),
            None => return Err(Problem::new(format!("expected a value or an operator, got {first:?}"))),
        }
        Ok(())
    }

    /// Text in quotes, which begin behind `prefix` bytes.
    fn string(&mut self, prefix: usize, raw: bool) -> Result<()> {
        let open = &self.rest[prefix..];
        let quote = match () {
            () if open.starts_with("\"\"\"") => "\"\"\"",
            () if open.starts_with("'''") => "'''",
            () => &open[..1],
        };
        let body = &open[quote.len()..];
        let mut text = String::new();
        let mut chars = body.char_indices();
        while let Some((index, c)) = chars.next() {
            if body[index..].starts_with(quote) {
                let length = prefix + index + 2 * quote.len();
                self.take(length, Some(Token::Text(text)));
                return Ok(());
            }
            match c {
                '\n' if quote.len() == 1 => break,
                '\\' if raw => {
                    text.push(c);
                    text.extend(chars.next().map(|(_, next)| next));
                }
                '\\' => escape(&mut chars, &mut text)?,
                c => text.push(c),
            }
        }
        Err(Problem::new(format!("expected {quote} at the end of the text")))
    }
}

/// What follows a backslash.
fn escape(chars: &mut std::str::CharIndices<'_>, text: &mut String) -> Result<()> {
    let Some((_, c)) = chars.next() else { return Ok(()) };
    let mut code = |count: usize| -> Result<char> {
        let digits: String = chars.by_ref().take(count).map(|(_, digit)| digit).collect();
        let wrong = || Problem::new(format!("expected {count} hexadecimal digits behind \\{c}"));
        let complete = digits.chars().count() == count;
        let code = u32::from_str_radix(&digits, 16).ok().filter(|_| complete).ok_or_else(wrong)?;
        char::from_u32(code).ok_or_else(wrong)
    };
    let escaped = match c {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'a' => '\x07',
        'b' => '\x08',
        'f' => '\x0c',
        'v' => '\x0b',
        '0'..='7' => {
            let mut value = c.to_digit(8).unwrap_or(0);
            for _ in 0..2 {
                match chars.clone().next().and_then(|(_, digit)| digit.to_digit(8)) {
                    Some(digit) => value = value * 8 + digit,
                    None => break,
                }
                chars.next();
            }
            char::from_u32(value).unwrap_or('\0')
        }
        'x' => code(2)?,
        'u' => code(4)?,
        'U' => code(8)?,
        '\n' => return Ok(()),
        '\\' | '\'' | '"' => c,
        other => {
            text.push('\\');
            other
        }
    };
    text.push(escaped);
    Ok(())
}

/// The number that `text` begins with, and its length.
fn number(text: &str) -> Result<(Token, usize)> {
    let word = |from: usize| {
        text[from..].find(|c: char| !c.is_alphanumeric() && c != '_').map_or(text.len(), |n| from + n)
    };
    let prefix = text.get(..2).map(str::to_ascii_lowercase);
    let radix = match prefix.as_deref() {
        Some("0x") => Some(16),
        Some("0o") => Some(8),
        Some("0b") => Some(2),
        _ => None,
    };
    let wrong = |end: usize| Problem::new(format!("expected a number, got `{}`", shown(&text[..end])));
    if let Some(radix) = radix {
        let end = word(2);
        let digits = underscored(&text[2..end]).ok_or_else(|| wrong(end))?;
        let value = i128::from_str_radix(&digits, radix).map_err(|_| wrong(end))?;
        return Ok((Token::Int(value), end));
    }
    let digits = |from: usize| {
        text[from..].find(|c: char| !c.is_ascii_digit() && c != '_').map_or(text.len(), |n| from + n)
    };
    let mut end = digits(0);
    let mut whole = true;
    if text[end..].starts_with('.') {
        whole = false;
        end = digits(end + 1);
    }
    if text[end..].starts_with(['e', 'E']) {
        let sign = usize::from(text[end + 1..].starts_with(['+', '-']));
        if text[end + 1 + sign..].starts_with(|c: char| c.is_ascii_digit()) {
            whole = false;
            end = digits(end + 1 + sign);
        }
    }
    let imaginary = text[end..].starts_with(['j', 'J']);
    let last = word(end);
    if last != end + usize::from(imaginary) {
        return Err(wrong(last));
    }
    let written = underscored(&text[..end]).ok_or_else(|| wrong(last))?;
    if whole && !imaginary {
        let leading_zero =
            written.len() > 1 && written.starts_with('0') && written.bytes().any(|b| b != b'0');
        return match written.parse() {
            Ok(value) if !leading_zero => Ok((Token::Int(value), end)),
            _ => Err(wrong(end)),
        };
    }
    let value: f64 = written.parse().map_err(|_| wrong(last))?;
    Ok((if imaginary { Token::Imaginary(value) } else { Token::Float(value) }, last))
}

/// Digits without the underscores between them.
fn underscored(text: &str) -> Option<String> {
    let bad = text.is_empty() || text.starts_with('_') || text.ends_with('_') || text.contains("__");
    (!bad).then(|| text.replace('_', ""))
}
