//! From tokens to a tree.

use super::object::Object;
use super::token::{Token, tokens};
use super::{Problem, PythonError, Result};

/// The longest expression, in bytes.
const LONGEST: usize = 256 << 10;
/// How deep brackets and the like may be nested.
const DEEPEST: usize = 40;
/// How high a tree may be: a long sum is a tree that is as high as the sum is long.
const HIGHEST: usize = 200;

/// A Python expression that has been read.
#[derive(Clone, Debug)]
pub struct Expression {
    pub(super) text: String,
    pub(super) root: Node,
}

#[derive(Clone, Debug)]
pub(super) struct Node {
    /// Where it begins, or its operator stands.
    pub at: usize,
    pub what: What,
    height: usize,
}

#[derive(Clone, Debug)]
pub(super) enum What {
    Literal(Object),
    Name(String),
    List(Vec<Node>),
    Tuple(Vec<Node>),
    Dict(Vec<(Node, Node)>),
    /// `*x` in a list or among arguments.
    Star(Box<Node>),
    Unary(&'static str, Box<Node>),
    Binary(&'static str, Box<Node>, Box<Node>),
    Compare(Box<Node>, Vec<(&'static str, Node)>),
    And(Vec<Node>),
    Or(Vec<Node>),
    /// The condition, the value if it holds, and the other.
    If(Box<Node>, Box<Node>, Box<Node>),
    Index(Box<Node>, Box<Node>),
    Slice(Box<Node>, [Option<Box<Node>>; 3]),
    Attribute(Box<Node>, String),
    Call(Box<Node>, Vec<Node>, Named),
    /// The element, and the loops from the outermost on.
    Comprehension(Box<Node>, Vec<Loop>),
}

/// Arguments that are given by name.
type Named = Vec<(String, Node)>;

/// `for targets in items if conditions`.
#[derive(Clone, Debug)]
pub(super) struct Loop {
    pub targets: Vec<String>,
    pub items: Node,
    pub conditions: Vec<Node>,
}

/// Names that stand for no value.
const KEYWORDS: &[&str] = &[
    "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else",
    "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not",
    "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

impl Expression {
    /// Reads `text`.
    ///
    /// # Errors
    /// What was expected, and at which character.
    pub fn parse(text: &str) -> Result<Self, PythonError> {
        let mut parser = Parser::new(text).map_err(|problem| problem.of(text))?;
        let root = parser.whole().map_err(|problem| problem.at(parser.at()).of(text))?;
        Ok(Expression { text: text.to_owned(), root })
    }

    /// The text as it was given.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The names that the expression mentions, functions and modules among them; some may come twice.
    pub fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.root.names(&mut names);
        names
    }
}

impl Node {
    fn new(at: usize, what: What) -> Result<Self> {
        let mut height = 0;
        what.each(&mut |node| height = height.max(node.height));
        if height >= HIGHEST {
            return Err(
                Problem::new(format!("expected at most {HIGHEST} operations within each other")).at(at)
            );
        }
        Ok(Node { at, what, height: height + 1 })
    }

    fn names<'a>(&'a self, names: &mut Vec<&'a str>) {
        if let What::Name(name) = &self.what {
            names.push(name);
        }
        self.what.each(&mut |node| node.names(names));
    }
}

impl What {
    /// Calls `visit` with each part.
    fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a Node)) {
        match self {
            What::Literal(_) | What::Name(_) => {}
            What::List(nodes) | What::Tuple(nodes) | What::And(nodes) | What::Or(nodes) => {
                nodes.iter().for_each(visit);
            }
            What::Dict(pairs) => pairs.iter().for_each(|(key, value)| {
                visit(key);
                visit(value);
            }),
            What::Star(node) | What::Unary(_, node) | What::Attribute(node, _) => visit(node),
            What::Binary(_, a, b) | What::Index(a, b) => {
                visit(a);
                visit(b);
            }
            What::Compare(first, rest) => {
                visit(first);
                rest.iter().for_each(|(_, node)| visit(node));
            }
            What::If(a, b, c) => {
                visit(a);
                visit(b);
                visit(c);
            }
            What::Slice(node, bounds) => {
                visit(node);
                bounds.iter().flatten().for_each(|bound| visit(bound));
            }
            What::Call(function, arguments, named) => {
                visit(function);
                arguments.iter().for_each(&mut *visit);
                named.iter().for_each(|(_, node)| visit(node));
            }
            What::Comprehension(element, loops) => {
                visit(element);
                for Loop { items, conditions, .. } in loops {
                    visit(items);
                    conditions.iter().for_each(&mut *visit);
                }
            }
        }
    }
}

/// The parameters of a Python signature, `a, b=1`, each with its default.
pub(crate) fn parameters(text: &str) -> Result<Vec<(String, Option<Expression>)>, PythonError> {
    let read = |parser: &mut Parser| -> Result<Vec<(String, Option<Expression>)>> {
        let mut parameters = Vec::new();
        while parser.peek() != &Token::End {
            let name = parser.name()?;
            let default = match parser.eat("=") {
                true => {
                    let root = parser.expression()?;
                    Some(Expression { text: text.to_owned(), root })
                }
                false => None,
            };
            parameters.push((name, default));
            if !parser.eat(",") {
                parser.expect_end()?;
            }
        }
        Ok(parameters)
    };
    let mut parser = Parser::new(text).map_err(|problem| problem.of(text))?;
    read(&mut parser).map_err(|problem| problem.at(parser.at()).of(text))
}

struct Parser {
    tokens: Vec<(Token, usize)>,
    next: usize,
    depth: usize,
}

/// Binary operators by how much they bind, the loosest first; `**` and comparisons are apart.
const BINARY: &[&[&str]] = &[&["|"], &["^"], &["&"], &["<<", ">>"], &["+", "-"], &["*", "/", "//", "%", "@"]];

impl Parser {
    fn new(text: &str) -> Result<Self> {
        if text.len() > LONGEST {
            return Err(Problem::new(format!("expected at most {LONGEST} bytes, got {}", text.len())));
        }
        Ok(Parser { tokens: tokens(text)?, next: 0, depth: 0 })
    }

    fn peek(&self) -> &Token {
        &self.tokens[self.next].0
    }

    fn at(&self) -> usize {
        self.tokens[self.next].1
    }

    fn advance(&mut self) {
        self.next = (self.next + 1).min(self.tokens.len() - 1);
    }

    /// Takes the sign, if it comes next.
    fn eat(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Token::Sign(next) if *next == sign);
        if found {
            self.advance();
        }
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Name(name) if name == word)
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), Token::Sign(next) if *next == sign)
    }

    fn expect(&mut self, sign: &str) -> Result<()> {
        match self.eat(sign) {
            true => Ok(()),
            false => Err(self.unexpected(&format!("`{sign}`"))),
        }
    }

    fn expect_end(&mut self) -> Result<()> {
        match self.peek() {
            Token::End => Ok(()),
            Token::Sign("=") => Err(Problem::python("an assignment")),
            Token::Sign(":=") => Err(Problem::python("an assignment")),
            _ => Err(self.unexpected("an operator or the end")),
        }
    }

    fn unexpected(&self, expected: &str) -> Problem {
        let problem = format!("expected {expected}, got {}", self.peek().describe());
        Problem::new(problem).at(self.at())
    }

    fn name(&mut self) -> Result<String> {
        match self.peek().clone() {
            Token::Name(name) if !KEYWORDS.contains(&name.as_str()) => {
                self.advance();
                Ok(name)
            }
            _ => Err(self.unexpected("a name")),
        }
    }

    /// All of the text: an expression, or several with commas between them.
    fn whole(&mut self) -> Result<Node> {
        let node = self.expressions()?;
        self.expect_end()?;
        Ok(node)
    }

    /// `a` or the tuple `a, b`.
    fn expressions(&mut self) -> Result<Node> {
        let at = self.at();
        let first = self.starred()?;
        if !self.is_sign(",") {
            return Ok(first);
        }
        let mut nodes = vec![first];
        while self.eat(",") {
            if matches!(self.peek(), Token::End | Token::Sign(")" | "]" | "}")) {
                break;
            }
            nodes.push(self.starred()?);
        }
        Node::new(at, What::Tuple(nodes))
    }

    fn starred(&mut self) -> Result<Node> {
        let at = self.at();
        match self.eat("*") {
            true => {
                let node = self.expression()?;
                Node::new(at, What::Star(node.into()))
            }
            false => self.expression(),
        }
    }

    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.depth += 1;
        if self.depth > DEEPEST {
            let problem = format!("expected at most {DEEPEST} brackets and signs within each other");
            return Err(Problem::new(problem).at(self.at()));
        }
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn expression(&mut self) -> Result<Node> {
        self.nested(|parser| {
            if parser.is_word("lambda") {
                return Err(Problem::python("lambda").at(parser.at()));
            }
            let node = parser.either()?;
            let at = parser.at();
            if !parser.eat_word("if") {
                return Ok(node);
            }
            let condition = parser.either()?;
            if !parser.eat_word("else") {
                return Err(parser.unexpected("`else`"));
            }
            let other = parser.expression()?;
            Node::new(at, What::If(condition.into(), node.into(), other.into()))
        })
    }

    fn either(&mut self) -> Result<Node> {
        let at = self.at();
        let mut nodes = vec![self.both()?];
        while self.eat_word("or") {
            nodes.push(self.both()?);
        }
        if nodes.len() > 1 { Node::new(at, What::Or(nodes)) } else { Ok(nodes.remove(0)) }
    }

    fn both(&mut self) -> Result<Node> {
        let at = self.at();
        let mut nodes = vec![self.not()?];
        while self.eat_word("and") {
            nodes.push(self.not()?);
        }
        if nodes.len() > 1 { Node::new(at, What::And(nodes)) } else { Ok(nodes.remove(0)) }
    }

    fn not(&mut self) -> Result<Node> {
        let at = self.at();
        match self.eat_word("not") {
            true => {
                let node = self.nested(Self::not)?;
                Node::new(at, What::Unary("not", node.into()))
            }
            false => self.comparison(),
        }
    }

    fn comparison(&mut self) -> Result<Node> {
        let at = self.at();
        let first = self.binary(0)?;
        let mut rest = Vec::new();
        loop {
            let sign = match self.peek() {
                Token::Sign(sign @ ("<" | ">" | "<=" | ">=" | "==" | "!=")) => sign,
                Token::Name(name) if name == "in" => "in",
                Token::Name(name) if name == "is" => "is",
                Token::Name(name) if name == "not" => "not in",
                _ => break,
            };
            self.advance();
            let sign = match sign {
                "not in" if !self.eat_word("in") => return Err(self.unexpected("`in`")),
                "is" if self.eat_word("not") => "is not",
                sign => sign,
            };
            rest.push((sign, self.binary(0)?));
        }
        if rest.is_empty() { Ok(first) } else { Node::new(at, What::Compare(first.into(), rest)) }
    }

    fn binary(&mut self, level: usize) -> Result<Node> {
        let Some(signs) = BINARY.get(level) else { return self.unary() };
        let mut node = self.binary(level + 1)?;
        loop {
            let at = self.at();
            let sign = match self.peek() {
                Token::Sign(sign) if signs.contains(sign) => *sign,
                _ => return Ok(node),
            };
            self.advance();
            let right = self.binary(level + 1)?;
            node = Node::new(at, What::Binary(sign, node.into(), right.into()))?;
        }
    }

    fn unary(&mut self) -> Result<Node> {
        let at = self.at();
        for sign in ["-", "+", "~"] {
            if self.eat(sign) {
                let node = self.nested(Self::unary)?;
                return Node::new(at, What::Unary(sign, node.into()));
            }
        }
        let base = self.postfix()?;
        let at = self.at();
        if !self.eat("**") {
            return Ok(base);
        }
        let power = self.nested(Self::unary)?;
        Node::new(at, What::Binary("**", base.into(), power.into()))
    }

    fn postfix(&mut self) -> Result<Node> {
        let mut node = self.atom()?;
        loop {
            let at = self.at();
            if self.eat(".") {
                let name = self.name()?;
                node = Node::new(at, What::Attribute(node.into(), name))?;
            } else if self.eat("(") {
                let (arguments, named) = self.arguments()?;
                node = Node::new(at, What::Call(node.into(), arguments, named))?;
            } else if self.eat("[") {
                node = self.subscript(node, at)?;
            } else {
                return Ok(node);
            }
        }
    }

    fn subscript(&mut self, node: Node, at: usize) -> Result<Node> {
        let mut bounds: [Option<Box<Node>>; 3] = [None, None, None];
        let mut colons = 0;
        loop {
            if self.eat("]") {
                break;
            }
            if self.eat(":") {
                colons += 1;
                if colons > 2 {
                    return Err(self.unexpected("`]`"));
                }
                continue;
            }
            if bounds[colons].is_some() {
                return Err(self.unexpected("`]`"));
            }
            let bound = if colons == 0 { self.expressions()? } else { self.expression()? };
            bounds[colons] = Some(bound.into());
        }
        match (colons, bounds) {
            (0, [Some(index), ..]) => Node::new(at, What::Index(node.into(), index)),
            (0, _) => Err(Problem::new("expected an index, got `]`").at(at)),
            (_, bounds) => Node::new(at, What::Slice(node.into(), bounds)),
        }
    }

    /// The arguments of a call, behind its `(`.
    fn arguments(&mut self) -> Result<(Vec<Node>, Named)> {
        let (mut arguments, mut named) = (Vec::new(), Named::new());
        while !self.eat(")") {
            let is_named =
                matches!(&self.tokens[self.next..], [(Token::Name(_), _), (Token::Sign("="), _), ..]);
            if self.is_sign("**") {
                return Err(Problem::python("**arguments").at(self.at()));
            }
            if is_named {
                let name = self.name()?;
                self.expect("=")?;
                if named.iter().any(|(known, _)| *known == name) {
                    return Err(Problem::new(format!("{name} is given twice")).at(self.at()));
                }
                named.push((name, self.expression()?));
            } else if named.is_empty() {
                let argument = self.starred()?;
                arguments.push(match self.is_word("for") {
                    true => self.comprehension(argument)?,
                    false => argument,
                });
            } else {
                return Err(self.unexpected("an argument with its name"));
            }
            if !self.eat(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok((arguments, named))
    }

    /// The loops behind the element of a comprehension.
    fn comprehension(&mut self, element: Node) -> Result<Node> {
        let at = self.at();
        let mut loops = Vec::new();
        while self.eat_word("for") {
            let bracket = self.eat("(");
            let mut targets = vec![self.name()?];
            while self.eat(",") {
                targets.push(self.name()?);
            }
            if bracket {
                self.expect(")")?;
            }
            if !self.eat_word("in") {
                return Err(self.unexpected("`in`"));
            }
            let items = self.either()?;
            let mut conditions = Vec::new();
            while self.eat_word("if") {
                conditions.push(self.either()?);
            }
            loops.push(Loop { targets, items, conditions });
        }
        if loops.len() > 4 {
            return Err(Problem::new("expected at most 4 loops within each other").at(at));
        }
        Node::new(at, What::Comprehension(element.into(), loops))
    }

    fn atom(&mut self) -> Result<Node> {
        let at = self.at();
        let token = self.peek().clone();
        if !matches!(token, Token::End) {
            self.advance();
        }
        let what = match token {
            Token::Int(n) => What::Literal(Object::Int(n)),
            Token::Float(x) => What::Literal(Object::Float(x)),
            Token::Imaginary(x) => What::Literal(Object::complex(0.0, x)),
            Token::Text(mut text) => {
                // Texts that follow each other are one.
                while let Token::Text(more) = self.peek().clone() {
                    text += &more;
                    self.advance();
                }
                What::Literal(Object::Text(text.into()))
            }
            Token::Name(name) => match name.as_str() {
                "True" => What::Literal(Object::Bool(true)),
                "False" => What::Literal(Object::Bool(false)),
                "None" => What::Literal(Object::None),
                "await" | "yield" | "lambda" | "import" => return Err(Problem::python(&name).at(at)),
                word if KEYWORDS.contains(&word) => {
                    return Err(Problem::new(format!("expected a value, got `{word}`")).at(at));
                }
                _ => What::Name(name),
            },
            Token::Sign("(") => {
                if self.eat(")") {
                    return Node::new(at, What::Tuple(Vec::new()));
                }
                let node = self.nested(Self::expressions)?;
                if self.is_word("for") {
                    return Err(Problem::python("a generator that is no argument").at(at));
                }
                self.expect(")")?;
                return Ok(node);
            }
            Token::Sign("[") => {
                if self.eat("]") {
                    return Node::new(at, What::List(Vec::new()));
                }
                let node = self.nested(Self::starred)?;
                if self.is_word("for") {
                    let node = self.comprehension(node)?;
                    self.expect("]")?;
                    return Ok(node);
                }
                let mut nodes = vec![node];
                while self.eat(",") && !self.is_sign("]") {
                    nodes.push(self.nested(Self::starred)?);
                }
                self.expect("]")?;
                What::List(nodes)
            }
            Token::Sign("{") => self.dict()?,
            _ => {
                let problem = format!("expected a value, got {}", token.describe());
                return Err(Problem::new(problem).at(at));
            }
        };
        Node::new(at, what)
    }

    /// A dict, behind its `{`.
    fn dict(&mut self) -> Result<What> {
        let mut pairs = Vec::new();
        while !self.eat("}") {
            let key = self.expression()?;
            if !self.is_sign(":") {
                return Err(Problem::python("a set").at(self.at()));
            }
            self.expect(":")?;
            let value = self.expression()?;
            if self.is_word("for") {
                return Err(Problem::python("a comprehension of a dict").at(self.at()));
            }
            pairs.push((key, value));
            if !self.eat(",") {
                self.expect("}")?;
                break;
            }
        }
        Ok(What::Dict(pairs))
    }
}
