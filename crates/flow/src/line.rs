//! Graphs in a line: `file_source path=x.cu8 -> head items=1000 -> null_sink`, from text to what it says, not yet evaluated.
//!
//! ```text
//! graph    = part { ";" part }
//! part     = NAME "=" VALUE                  a variable
//!          | ends { "->" ends }              a chain; only its last link leads to several
//! ends     = end { "," end }
//! end      = [ NAME ":" ] TYPE { KEY "=" VALUE }     a block, with its parameters
//!          | NAME | NAME "." PORT                    a block that has a name, or one of its ports
//! ```
//!
//! A block without a name of its own is called after its type: `head`, `head_2`, and so on. A word alone is a type, unless some
//! block has it as its name; a word with a port names a block.
//!
//! A value is what a setting on the command line is: any value of TOML, a number such as `2.4M`, an expression after a second
//! `=`, or else text. It ends at a space, a comma, a semicolon or an arrow, but not within quotes or brackets.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use crate::connections::{Link, is_name};
use crate::error::{LONGEST_NAME, Mistake, Place, shown};
use crate::set;
use crate::toml::{BlockKind, BlockTable, Document, MOST_BLOCKS, MOST_KEYS, MOST_LINKS, Setting};
use crate::values::Located;
use crate::variables::{Variable, VariableValue};

/// The longest text, in bytes.
pub(crate) const LONGEST: usize = 64 << 10;

/// Reads `text`; the first mistake ends that.
pub(crate) fn read(text: &str) -> Result<Document, Mistake> {
    let mut cursor = Cursor { text, at: 0, counted: Cell::new((0, 1)) };
    let (mut variables, mut chains) = (Vec::new(), Vec::new());
    loop {
        cursor.skip_space();
        match cursor.peek() {
            None => break,
            Some(';') => cursor.at += 1,
            Some(_) => match cursor.part()? {
                Part::Variable(variable) => variables.push(variable),
                Part::Chain(chain) => chains.push(chain),
            },
        }
    }
    if chains.is_empty() {
        return Err(
            cursor.wrong(cursor.at, "expected a block, as in null_source -> head items=10 -> null_sink")
        );
    }
    document(&cursor, variables, chains)
}

enum Part<'a> {
    Variable(Variable),
    Chain(Vec<Vec<End<'a>>>),
}

/// A block as a chain has it.
struct End<'a> {
    at: usize,
    /// The name before a colon.
    label: Option<&'a str>,
    /// A type, the name of a block, or that and a port.
    word: &'a str,
    settings: Vec<Setting>,
}

impl End<'_> {
    /// Whether it names a block that is described elsewhere.
    fn refers(&self, labels: &BTreeSet<&str>) -> bool {
        let is_known = self.settings.is_empty() && labels.contains(self.word);
        self.label.is_none() && (is_known || self.word.contains('.'))
    }
}

/// Puts names to blocks, and links between them.
fn document(
    cursor: &Cursor<'_>,
    variables: Vec<Variable>,
    chains: Vec<Vec<Vec<End<'_>>>>,
) -> Result<Document, Mistake> {
    let ends = || chains.iter().flatten().flatten();
    let mut labels = BTreeSet::new();
    for (at, label) in ends().filter_map(|end| Some((end.at, end.label?))) {
        if !labels.insert(label) {
            return Err(cursor.wrong(at, format!("there are two blocks named {label}")));
        }
    }
    let mut taken: BTreeSet<String> = labels.iter().map(|label| (*label).to_owned()).collect();
    let mut document = Document { variables, ..Document::default() };
    for chain in chains {
        let (last, mut from) = (chain.len() - 1, String::new());
        for (index, stage) in chain.into_iter().enumerate() {
            let mut names = Vec::new();
            for end in stage {
                let place = cursor.place(end.at);
                let refers = end.refers(&labels);
                if refers && end.word.contains('.') && index > 0 && index < last {
                    let problem = format!(
                        "the port of {} could be an input or an output here: cut the chain in two there, with a ;",
                        shown(end.word)
                    );
                    return Err(cursor.wrong(end.at, problem));
                }
                let name = match end.label {
                    _ if refers => end.word.to_owned(),
                    Some(label) => label.to_owned(),
                    None => free_name(end.word, &mut taken),
                };
                if !refers {
                    if document.blocks.len() > MOST_BLOCKS || document.links.len() > MOST_LINKS {
                        let (what, limit) = ("blocks".to_owned(), MOST_BLOCKS);
                        return Err(Mistake::TooMuch { at: place, what, limit });
                    }
                    let what = BlockKind::Type(end.word.to_owned(), place.clone());
                    let (name, settings) = (name.clone(), end.settings);
                    document.blocks.push(BlockTable { name, place: place.clone(), what, settings });
                }
                names.push((name, place));
            }
            if index > 0 {
                let link = |(to, place): &(String, Place)| -> (Link, Place) {
                    ((from.clone(), to.clone()), place.clone())
                };
                document.links.extend(names.iter().map(link));
            }
            from = names.swap_remove(0).0;
        }
    }
    Ok(document)
}

/// `word`, or that with a number behind it.
fn free_name(word: &str, taken: &mut BTreeSet<String>) -> String {
    let numbered = (2..).map(|number| format!("{word}_{number}"));
    let free = std::iter::once(word.to_owned()).chain(numbered).find(|name| !taken.contains(name));
    let name = free.unwrap_or_default();
    taken.insert(name.clone());
    name
}

struct Cursor<'a> {
    text: &'a str,
    /// In bytes.
    at: usize,
    /// A place in bytes, and its column: places are asked for in their order, and text may be long.
    counted: Cell<(usize, usize)>,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn place(&self, at: usize) -> Place {
        let (from, column) = Some(self.counted.get()).filter(|(from, _)| *from <= at).unwrap_or((0, 1));
        let column = column + self.text[from..at].chars().count();
        self.counted.set((at, column));
        Place::Column(column)
    }

    fn wrong(&self, at: usize, problem: impl Into<String>) -> Mistake {
        Mistake::Syntax { at: self.place(at), problem: problem.into() }
    }

    /// Up to the next of `ends`, a space, a comma, a semicolon or an arrow.
    fn word(&mut self, ends: &[char]) -> &'a str {
        let rest = self.rest();
        let stops = |c: char| c.is_whitespace() || matches!(c, ',' | ';') || ends.contains(&c);
        let end = rest.find(stops).unwrap_or(rest.len());
        let word = &rest[..rest[..end].find("->").unwrap_or(end)];
        self.at += word.len();
        word
    }

    /// A variable or a chain.
    fn part(&mut self) -> Result<Part<'a>, Mistake> {
        let start = self.at;
        let name = self.word(&['=', ':']);
        if self.peek() == Some('=') {
            self.at += 1;
            if !is_name(name) {
                return Err(self.wrong(start, "expected the name of a variable before the ="));
            }
            let (name, place, value) = (name.to_owned(), self.place(start), self.value()?);
            self.skip_space();
            return match self.peek() {
                None | Some(';') => Ok(Part::Variable(Variable { name, place, value })),
                Some(_) => Err(self.wrong(self.at, format!("expected a ; behind the variable {name}"))),
            };
        }
        self.at = start;
        let mut chain = vec![vec![self.end()?]];
        loop {
            self.skip_space();
            let at = self.at;
            if self.rest().starts_with("->") {
                self.at += 2;
                if chain.last().is_some_and(|stage| stage.len() > 1) {
                    return Err(self.wrong(at, "only the last link of a chain leads to several"));
                }
                self.skip_space();
                chain.push(vec![self.end()?]);
                continue;
            }
            match self.peek() {
                None | Some(';') => return Ok(Part::Chain(chain)),
                Some(',') if chain.len() == 1 => {
                    return Err(self.wrong(at, "only the last link of a chain leads to several"));
                }
                Some(',') => {
                    self.at += 1;
                    self.skip_space();
                    let end = self.end()?;
                    if let Some(stage) = chain.last_mut() {
                        stage.push(end);
                    }
                }
                Some(_) => {
                    let found = shown(self.word(&[]));
                    let problem = format!("expected KEY=VALUE, -> or ; before {found}");
                    return Err(self.wrong(at, problem));
                }
            }
        }
    }

    /// A block with its parameters, or the name of one.
    fn end(&mut self) -> Result<End<'a>, Mistake> {
        let at = self.at;
        let mut word = self.word(&['=', ':']);
        let mut label = None;
        if self.peek() == Some(':') {
            if !is_name(word) {
                return Err(
                    self.wrong(at, format!("expected the name of a block before the :, got {}", shown(word)))
                );
            }
            self.at += 1;
            label = Some(word);
            word = self.word(&['=', ':']);
        }
        let is_port = |(block, port): (&str, &str)| label.is_none() && is_name(block) && is_name(port);
        if word.is_empty() {
            return Err(self.wrong(self.at, "expected a block"));
        }
        if !is_name(word) && !word.split_once('.').is_some_and(is_port) {
            let expected = if label.is_some() { "a type" } else { "a type, NAME:TYPE, or a block's port" };
            return Err(self.wrong(at, format!("expected {expected}, got {}", shown(word))));
        }
        let mut settings = Vec::new();
        loop {
            let before = self.at;
            self.skip_space();
            let start = self.at;
            let name = self.word(&['=', ':']);
            if self.peek() != Some('=') || name.is_empty() {
                // What follows is for whoever reads the chain.
                if start == before && !name.is_empty() || self.peek() == Some('=') {
                    return Err(self.wrong(start, "expected a parameter before the ="));
                }
                self.at = if name.is_empty() { before } else { start };
                break;
            }
            self.at += 1;
            if word.contains('.') {
                return Err(self.wrong(start, format!("{} is a port, which has no parameters", shown(word))));
            }
            if !is_name(name) || name.len() > LONGEST_NAME {
                return Err(
                    self.wrong(start, format!("expected the name of a parameter, got {}", shown(name)))
                );
            }
            if settings.iter().any(|known: &Setting| known.name == name) {
                return Err(self.wrong(start, format!("{name} is there twice")));
            }
            let (name, place) = (name.to_owned(), self.place(start));
            if settings.len() == MOST_KEYS {
                let what = format!("parameters of {}", shown(word));
                return Err(Mistake::TooMuch { at: place, what, limit: MOST_KEYS });
            }
            settings.push(Setting { name, place, value: self.value()? });
        }
        Ok(End { at, label, word, settings })
    }

    /// What stands behind an `=`.
    fn value(&mut self) -> Result<VariableValue, Mistake> {
        let (start, rest) = (self.at, self.rest());
        let mut open: Vec<(usize, char)> = Vec::new();
        let mut quote: Option<(usize, char)> = None;
        let mut end = rest.len();
        let mut escaped = false;
        for (at, c) in rest.char_indices() {
            if let Some((_, mark)) = quote {
                match c {
                    _ if escaped => escaped = false,
                    '\\' if mark == '"' => escaped = true,
                    _ if c == mark => quote = None,
                    _ => {}
                }
                continue;
            }
            match c {
                '"' | '\'' => quote = Some((at, c)),
                '(' | '[' | '{' => open.push((at, c)),
                ')' | ']' | '}' => {
                    open.pop();
                }
                _ if !open.is_empty() => {}
                _ if c.is_whitespace() || matches!(c, ',' | ';') || rest[at..].starts_with("->") => {
                    end = at;
                    break;
                }
                _ => {}
            }
        }
        if let Some((at, mark)) = quote.or(open.pop()) {
            return Err(self.wrong(start + at, format!("the {mark} is never closed")));
        }
        self.at += end;
        let written = &rest[..end];
        let value = set::value(written);
        let raw: Option<Arc<str>> = value.as_str().is_none().then(|| written.into());
        Ok(VariableValue::Written(Located { value, folder: Path::new("").into(), raw }))
    }
}

#[cfg(test)]
mod tests {
    use superhet_runtime::Value;

    use super::*;

    /// Blocks as `name:type key=value`, links as `a>b`.
    fn said(text: &str) -> String {
        let document = read(text).unwrap_or_else(|mistake| panic!("{text}: {mistake}"));
        let value = |value: &VariableValue| match value {
            VariableValue::Written(located) => located.value.to_string(),
            VariableValue::Ready(_) => unreachable!(),
        };
        let blocks = document.blocks.iter().map(|block| {
            let BlockKind::Type(kind, _) = &block.what else { unreachable!() };
            let settings = block.settings.iter().map(|one| format!(" {}={}", one.name, value(&one.value)));
            format!("{}:{kind}{}", block.name, settings.collect::<String>())
        });
        let links = document.links.iter().map(|((from, to), _)| format!("{from}>{to}"));
        let variables = document.variables.iter().map(|one| format!("{}={}", one.name, value(&one.value)));
        variables.chain(blocks).chain(links).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn a_chain_is_blocks_with_their_parameters() {
        assert_eq!(
            said("file_source path=x.cu8 repeat=true -> head items=2k->null_sink"),
            "file_source:file_source path=\"x.cu8\" repeat=true; head:head items=2000.0; null_sink:null_sink; \
             file_source>head; head>null_sink"
        );
        assert_eq!(said("null_source"), "null_source:null_source");
    }

    #[test]
    fn blocks_of_one_type_are_numbered_and_names_refer() {
        assert_eq!(
            said("a:src -> copy -> copy -> b:sink; a -> copy_2.in; copy.out -> sink"),
            "a:src; copy:copy; copy_2:copy; b:sink; sink:sink; a>copy; copy>copy_2; copy_2>b; a>copy_2.in; \
             copy.out>sink"
        );
        assert_eq!(said("x -> y a=1, z"), "x:x; y:y a=1; z:z; x>y; x>z");
    }

    #[test]
    fn values_are_those_of_settings_and_end_outside_of_quotes_and_brackets() {
        assert_eq!(
            said(r#"rate=2.4M; f a=[1, 2] b="x; -> y" c='a b' d==max(1, rate) e=-3 f= g="7" -> g"#),
            r#"rate=2400000.0; f:f a=[1,2] b="x; -> y" c="a b" d="=max(1, rate)" e=-3 f="" g="7"; g:g; f>g"#
        );
        let document = read("f path=0123").unwrap();
        let VariableValue::Written(located) = &document.blocks[0].settings[0].value else { unreachable!() };
        assert_eq!(located.text(), Some("0123"), "{:?}", Value::from(0));
    }

    #[test]
    fn a_mistake_says_in_which_column_and_what_was_expected() {
        for (text, wanted) in [
            ("", "column 1: expected a block, as in"),
            (" ; ;", "column 5: expected a block, as in"),
            ("rate=2", "column 7: expected a block, as in"),
            ("a ->", "column 5: expected a block"),
            ("-> a", "column 1: expected a block"),
            ("a -> -> b", "column 6: expected a block"),
            ("ä b", "column 3: expected KEY=VALUE, -> or ; before b"),
            ("a x=[1, 2 -> b", "column 5: the [ is never closed"),
            ("a x=\"1 -> b", "column 5: the \" is never closed"),
            ("a x=1 x=2", "column 7: x is there twice"),
            ("a =1", "column 3: expected a parameter before the ="),
            ("rate=2 a", "column 8: expected a ; behind the variable rate"),
            ("a -> b, c -> d", "column 11: only the last link of a chain leads to several"),
            ("a, b -> c", "column 2: only the last link of a chain leads to several"),
            ("n:a; n:b", "column 6: there are two blocks named n"),
            ("a -> b.in -> c", "column 6: the port of b.in could be an input or an output here"),
            ("a.out x=1 -> b", "column 7: a.out is a port, which has no parameters"),
            ("a/b -> c", "column 1: expected a type, NAME:TYPE, or a block's port, got a/b"),
            ("n:a.b -> c", "column 1: expected a type, got a.b"),
            ("a x.y=1", "column 3: expected the name of a parameter, got x.y"),
        ] {
            match read(text) {
                Err(mistake) => {
                    let words = mistake.to_string();
                    assert!(words.starts_with(wanted), "{text}: {words}, not {wanted}");
                }
                Ok(_) => panic!("{text} was read"),
            }
        }
    }
}
