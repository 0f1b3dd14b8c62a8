//! Every error of the crate on one page.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use superhet_runtime::error::{ConnectError, suggestion};

/// How many mistakes are reported; hostile files have millions.
const MOST_REPORTED: usize = 100;
/// How many characters of a text from a file an error message repeats.
const SHOWN: usize = 400;

/// Where a mistake stands. Shown with a colon and a space after it, or not at all.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Place {
    /// In a line of a file, counted from 1; without a file, of the text that was given.
    Line(Option<Arc<str>>, usize),
    /// At a character of a graph in a line, counted from 1.
    Column(usize),
    /// In a file as a whole.
    File(Arc<str>),
    /// In a setting from outside, `NAME=VALUE`.
    Set(Arc<str>),
    /// Nowhere in particular.
    #[default]
    Nowhere,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(Some(file), line) => write!(f, "{file}:{line}: "),
            Place::Line(None, line) => write!(f, "line {line}: "),
            Place::Column(column) => write!(f, "column {column}: "),
            Place::File(file) => write!(f, "{file}: "),
            Place::Set(set) => write!(f, "setting {}: ", shown(set)),
            Place::Nowhere => Ok(()),
        }
    }
}

/// What is wrong with an expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{expression:?}, character {position}: {problem}")]
pub struct ExpressionError {
    /// The expression, cut short where it is long.
    pub expression: String,
    /// Which character of it, counted from 1.
    pub position: usize,
    /// What was expected, and what was found.
    pub problem: String,
}

/// A name that the registry does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no block type {name}{hint}")]
pub struct UnknownType {
    /// The name, cut short where it is long.
    pub name: String,
    /// What is near, empty or starting with a separator.
    pub hint: String,
}

/// One mistake of a graph file.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Mistake {
    /// A file that cannot be read.
    #[error("{at}cannot read {}: {error}", shown(&path.display().to_string()))]
    Read {
        /// Where it is named.
        at: Place,
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        error: Arc<io::Error>,
    },
    /// More of something than is accepted.
    #[error("{at}too many {what}: at most {limit} are accepted")]
    TooMuch {
        /// Where.
        at: Place,
        /// What there is too much of.
        what: String,
        /// How much is accepted.
        limit: usize,
    },
    /// Not TOML.
    #[error("{at}{problem}")]
    Syntax {
        /// Where.
        at: Place,
        /// What was expected.
        problem: String,
    },
    /// A key, a table or a value that a graph file does not have there.
    #[error("{at}{subject}: {problem}")]
    Shape {
        /// Where.
        at: Place,
        /// The key or table.
        subject: String,
        /// What was expected.
        problem: String,
    },
    /// An expression that gives no value.
    #[error("{at}{subject}: {error}")]
    Expression {
        /// Where.
        at: Place,
        /// Which variable, or which parameter of which block.
        subject: String,
        /// What is wrong with it.
        #[source]
        error: ExpressionError,
    },
    /// Variables that need each other.
    #[error("{at}the variables {chain} need each other")]
    Cycle {
        /// Where the first of them is.
        at: Place,
        /// Their names, in order.
        chain: String,
    },
    /// A file that includes itself.
    #[error("{at}block {block}: the file includes itself: {chain}")]
    Recursion {
        /// Where.
        at: Place,
        /// The block that includes the file.
        block: String,
        /// The files, in order.
        chain: String,
    },
    /// A block of a type that the registry does not have.
    #[error("{at}block {block}: {error}")]
    UnknownType {
        /// Where.
        at: Place,
        /// The block.
        block: String,
        /// The name, and what is near.
        #[source]
        error: UnknownType,
    },
    /// A parameter that is missing, unknown or out of range.
    #[error("{at}block {block}: {param}: {problem}")]
    Parameter {
        /// Where.
        at: Place,
        /// The block.
        block: String,
        /// The parameter.
        param: String,
        /// What is wrong with it, and what was expected.
        problem: String,
    },
    /// A block that cannot be made, though each of its parameters is what it should be.
    #[error("{at}block {block}: {problem}")]
    Block {
        /// Where.
        at: Place,
        /// The block.
        block: String,
        /// What the block says.
        problem: String,
    },
    /// Something of a flowgraph of GNU Radio that only Python can do.
    #[error("{at}{subject}: {problem}")]
    Python {
        /// Where.
        at: Place,
        /// Which block, or which variable.
        subject: String,
        /// What it is.
        problem: String,
    },
    /// A setting from outside that sets nothing.
    #[error("{at}{problem}")]
    Setting {
        /// The setting.
        at: Place,
        /// What is wrong with it.
        problem: String,
    },
    /// A mistake in how the blocks are connected.
    #[error("{at}{error}")]
    Graph {
        /// Where.
        at: Place,
        /// What is wrong.
        #[source]
        error: Box<ConnectError>,
    },
}

impl Mistake {
    /// Where the mistake stands.
    pub fn place(&self) -> &Place {
        match self {
            Mistake::Read { at, .. }
            | Mistake::TooMuch { at, .. }
            | Mistake::Syntax { at, .. }
            | Mistake::Shape { at, .. }
            | Mistake::Expression { at, .. }
            | Mistake::Cycle { at, .. }
            | Mistake::Recursion { at, .. }
            | Mistake::UnknownType { at, .. }
            | Mistake::Parameter { at, .. }
            | Mistake::Block { at, .. }
            | Mistake::Python { at, .. }
            | Mistake::Setting { at, .. }
            | Mistake::Graph { at, .. } => at,
        }
    }
}

/// All mistakes of a graph file and of the files that it includes, in the order of their lines.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FlowError {
    /// The mistakes, at least one.
    pub mistakes: Vec<Mistake>,
    /// How many more there are, which are not reported.
    pub more: usize,
}

impl FlowError {
    /// Whether the file is a flowgraph that Python could run, `python -m superhet.gnuradio`.
    pub fn needs_python(&self) -> bool {
        self.mistakes.iter().any(|mistake| matches!(mistake, Mistake::Python { .. }))
    }
}

impl fmt::Display for FlowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let ([mistake], 0) = (&self.mistakes[..], self.more) {
            return write!(f, "{mistake}");
        }
        write!(f, "{} mistakes:", self.mistakes.len() + self.more)?;
        self.mistakes.iter().try_for_each(|mistake| write!(f, "\n  - {mistake}"))?;
        if self.more > 0 {
            write!(f, "\n  and {} more", self.more)?;
        }
        Ok(())
    }
}

impl std::error::Error for FlowError {}

/// Collects mistakes, the first of them in full.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mistakes {
    list: Vec<Mistake>,
    more: usize,
}

impl Mistakes {
    /// Adds a mistake. It is put into words only where it will be reported, as finding a near name takes time.
    pub fn add(&mut self, mistake: impl FnOnce() -> Mistake) {
        if self.list.len() < MOST_REPORTED {
            self.list.push(mistake());
        } else {
            self.more += 1;
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// `value`, if there is no mistake.
    pub fn or<T>(self, value: T) -> Result<T, FlowError> {
        if self.list.is_empty() { Ok(value) } else { Err(self.into_error()) }
    }

    /// All that has been collected.
    pub fn into_error(mut self) -> FlowError {
        self.list.sort_by(|a, b| a.place().cmp(b.place()));
        FlowError { mistakes: self.list, more: self.more }
    }
}

/// The longest name, in bytes. Only names are compared with others to find the nearest.
pub(crate) const LONGEST_NAME: usize = 128;

/// `; did you mean X?`, for names of a sensible length.
pub(crate) fn near<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known = known.into_iter().filter(|known| known.len() <= LONGEST_NAME);
    if name.len() <= LONGEST_NAME { suggestion(name, known) } else { String::new() }
}

/// `text` fit for an error message: not too long, and without what would move a terminal's cursor.
pub(crate) fn shown(text: &str) -> String {
    let clean = |c: char| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c };
    match text.char_indices().nth(SHOWN) {
        None => text.chars().map(clean).collect(),
        Some((end, _)) => text[..end].chars().map(clean).chain(['…']).collect(),
    }
}
