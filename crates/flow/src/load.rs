//! Reads graph files, with the files that they include.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::devices::Devices;
use crate::error::{FlowError, LONGEST_NAME, Mistake, Mistakes, Place, near, shown};
use crate::flow::{Flow, FlowBlock, FlowParam, Part};
use crate::line;
use crate::set::Set;
use crate::toml::{self, BlockKind, BlockTable, DeviceTable, Document, MOST_BLOCKS, MOST_LINKS, Setting};
use crate::values::{Budget, Located, NoValue, Scope, evaluate};
use crate::variables::{Variable, VariableValue, evaluate_all};

/// The largest file, in bytes, and the most that included files may come to.
pub(crate) const LARGEST_FILE: usize = 4 << 20;
/// How many files may be included, those that are included several times counted each time.
const MOST_FILES: usize = 256;
/// How deep files may include files.
const DEEPEST: usize = 16;

impl Flow {
    /// Reads the graph file at `path` and what it includes. Each of `sets` overrides a variable or a parameter.
    ///
    /// # Errors
    /// If the file cannot be read or is not TOML. All other mistakes are reported by [`Flow::check`] and [`Flow::build`],
    /// together with those that only they can find.
    pub fn from_file(path: impl AsRef<Path>, sets: &[Set]) -> Result<Self, FlowError> {
        let path = path.as_ref();
        let mut mistakes = Mistakes::default();
        let text = match read_file(path, &Place::Nowhere) {
            Ok(text) => text,
            Err(mistake) => {
                mistakes.add(|| mistake);
                return mistakes.or(Flow::default());
            }
        };
        let chain = vec![Included { path: identity(path), shown: shown(&path.display().to_string()) }];
        let file: Arc<str> = shown(&path.display().to_string()).into();
        load(&text, Source { file: Some(file), folder: folder_of(path), parts: &[] }, chain, sets)
    }

    /// Reads a graph file from memory; the paths in it are relative to `folder`.
    ///
    /// # Errors
    /// As [`Flow::from_file`].
    pub fn from_text(text: &str, folder: impl AsRef<Path>, sets: &[Set]) -> Result<Self, FlowError> {
        from_memory(text, Source { file: None, folder: folder.as_ref().into(), parts: &[] }, sets)
    }

    /// Reads a graph file from memory that includes other files from memory: `parts` has their names and texts.
    ///
    /// ```
    /// use superhet_flow::Flow;
    ///
    /// let part = "[ports]\nin = 'half.in'\n[blocks]\nhalf = { type = 'multiply_const', constant = 0.5 }";
    /// let text = "[blocks]\namp = { graph = 'part.toml' }";
    /// let flow = Flow::from_parts(text, &[("part.toml", part)], &[])?;
    /// assert_eq!(flow.blocks().next(), Some(("amp/half", "multiply_const")));
    /// # Ok::<(), superhet_flow::FlowError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Flow::from_file`].
    pub fn from_parts(text: &str, parts: &[(&str, &str)], sets: &[Set]) -> Result<Self, FlowError> {
        from_memory(text, Source { file: None, folder: Path::new("").into(), parts }, sets)
    }
}

impl Flow {
    /// Reads a graph in a line, as [the crate](crate) describes it; the paths in it are relative to the current directory.
    ///
    /// ```
    /// use superhet_flow::Flow;
    ///
    /// let flow = Flow::from_line("file_source path=x.cu8 -> head items=1k -> null_sink", &[])?;
    /// assert_eq!(flow.blocks().nth(1), Some(("head", "head")));
    /// assert_eq!(flow.text("file_source", "path"), Some("x.cu8"));
    ///
    /// let error = Flow::from_line("file_source path=x.cu8 => null_sink", &[]).unwrap_err();
    /// assert_eq!(error.to_string(), "column 24: expected a parameter before the =");
    /// # Ok::<(), superhet_flow::FlowError>(())
    /// ```
    ///
    /// # Errors
    /// If the text cannot be read. All other mistakes are reported by [`Flow::check`] and [`Flow::build`].
    pub fn from_line(text: &str, sets: &[Set]) -> Result<Self, FlowError> {
        let mut mistakes = Mistakes::default();
        let document = if text.len() > line::LONGEST {
            let what = "bytes in the line".to_owned();
            Err(Mistake::TooMuch { at: Place::Nowhere, what, limit: line::LONGEST })
        } else {
            line::read(text)
        };
        match document {
            Ok(document) => load_document(document, Path::new("").into(), &[], Vec::new(), sets, mistakes),
            Err(mistake) => {
                mistakes.add(|| mistake);
                mistakes.or(Flow::default())
            }
        }
    }
}

/// Where text comes from.
struct Source<'a> {
    file: Option<Arc<str>>,
    folder: Arc<Path>,
    /// The files that are in memory.
    parts: Parts<'a>,
}

/// Names and texts of files that are in memory.
type Parts<'a> = &'a [(&'a str, &'a str)];

/// A file that is being read.
#[derive(Clone)]
struct Included {
    /// What distinguishes it from others.
    path: PathBuf,
    shown: String,
}

fn from_memory(text: &str, source: Source<'_>, sets: &[Set]) -> Result<Flow, FlowError> {
    if text.len() > LARGEST_FILE {
        let mut mistakes = Mistakes::default();
        mistakes.add(|| too_large(&Place::Nowhere, "text"));
        return mistakes.or(Flow::default());
    }
    load(text, source, Vec::new(), sets)
}

fn load(text: &str, source: Source<'_>, chain: Vec<Included>, sets: &[Set]) -> Result<Flow, FlowError> {
    let mut mistakes = Mistakes::default();
    let Some(document) = toml::read(text, source.file.as_ref(), &source.folder, &mut mistakes) else {
        return mistakes.or(Flow::default());
    };
    load_document(document, source.folder, source.parts, chain, sets, mistakes)
}

fn load_document(
    document: Document,
    folder: Arc<Path>,
    parts: Parts<'_>,
    chain: Vec<Included>,
    sets: &[Set],
    mistakes: Mistakes,
) -> Result<Flow, FlowError> {
    let (name, description) = (document.name.clone(), document.description.clone());
    let flow = Flow { name, description, mistakes, ..Flow::default() };
    let mut loader = Loader {
        flow,
        devices: Devices::default(),
        sets,
        used: vec![false; sets.len()],
        parts,
        chain,
        files: 0,
        bytes: 0,
        budget: Budget::default(),
        too_much: false,
    };
    let given = loader.sets_of(None).collect();
    let scope = loader.document(document, &folder, "", given);
    loader.unused_sets(&scope);
    let mut flow = loader.flow;
    flow.variables = scope.into_iter().filter_map(|(name, located)| Some((name, located?.value))).collect();
    if loader.too_much {
        // A part of a graph would have mistakes that the whole has not.
        (flow.blocks, flow.parts, flow.links) = Default::default();
    }
    Ok(flow)
}

struct Loader<'a> {
    flow: Flow,
    /// Those that the blocks of the file can name.
    devices: Devices,
    sets: &'a [Set],
    /// Which of the sets for blocks have found their block.
    used: Vec<bool>,
    parts: Parts<'a>,
    /// The files that are being read, outermost first.
    chain: Vec<Included>,
    /// How many files have been included.
    files: usize,
    /// How many bytes they have in all.
    bytes: usize,
    budget: Budget,
    /// Whether there are too many files, blocks or connections.
    too_much: bool,
}

impl Loader<'_> {
    /// What the sets have for the block of that name, or for the variables of the outermost file.
    fn sets_of(&mut self, block: Option<&str>) -> impl Iterator<Item = Setting> {
        let mut found = Vec::new();
        for (set, used) in self.sets.iter().zip(&mut self.used) {
            let (target, name) = set.target();
            if target == block {
                *used = true;
                found.push(Setting { name: name.to_owned(), place: set.place(), value: set.value().clone() });
            }
        }
        found.into_iter()
    }

    fn too_much(&mut self, at: &Place, what: &str, limit: usize) {
        if !self.too_much {
            self.too_much = true;
            self.flow.mistakes.add(|| Mistake::TooMuch { at: at.clone(), what: what.to_owned(), limit });
        }
    }

    /// Adds what a file says; `given` overrides its variables, and `block` is the block that includes it, or empty.
    fn document(
        &mut self,
        document: Document,
        folder: &Arc<Path>,
        block: &str,
        given: Vec<Setting>,
    ) -> Scope {
        let scope = self.variables(document.variables, block, given);
        let inside = |name: &str| if block.is_empty() { name.to_owned() } else { format!("{block}/{name}") };
        // An included file's own devices are not known outside of it.
        let outside = self.devices.clone();
        for table in document.devices {
            self.device(table, &scope);
        }
        for table in document.blocks {
            self.block(inside(&table.name), table, folder, &scope);
        }
        if self.flow.links.len() + document.links.len() > MOST_LINKS {
            let first = document.links.first().map_or(&Place::Nowhere, |(_, at)| at);
            self.too_much(first, "connections", MOST_LINKS);
        } else {
            let links = document.links.into_iter();
            self.flow.links.extend(links.map(|((from, to), at)| ((inside(&from), inside(&to)), at)));
        }
        self.flow.unreadable.extend(document.unreadable.iter().map(|name| match name.as_str() {
            "*" => "*".to_owned(),
            name => inside(name),
        }));
        let ports = document.ports.into_iter();
        let ports = ports.map(|(name, target, at)| (name, (inside(&target), at))).collect();
        self.flow.parts.insert(block.to_owned(), Part { failed: false, ports });
        self.devices = outside;
        scope
    }

    fn variables(&mut self, mut variables: Vec<Variable>, block: &str, given: Vec<Setting>) -> Scope {
        for Setting { name, place, value } in given {
            match variables.iter_mut().find(|known| known.name == name) {
                Some(known) => *known = Variable { name, place, value },
                // Those that are unknown in the outermost file are reported with the other settings.
                None if block.is_empty() => {}
                None => self.flow.mistakes.add(|| {
                    let near = near(&name, variables.iter().map(|known| known.name.as_str()));
                    let problem = format!("the included file has no such variable{near}");
                    Mistake::Parameter { at: place, block: block.to_owned(), param: shown(&name), problem }
                }),
            }
        }
        evaluate_all(&variables, &self.budget, &mut self.flow.mistakes)
    }

    fn block(&mut self, name: String, table: BlockTable, folder: &Arc<Path>, scope: &Scope) {
        let mut settings = table.settings;
        for set in self.sets_of(Some(&name)) {
            settings.retain(|known| known.name != set.name);
            settings.push(set);
        }
        let mut params: Vec<FlowParam> =
            settings.into_iter().filter_map(|setting| self.param(&name, setting, scope)).collect();
        let what = match table.what {
            BlockKind::File(file, at) => return self.include(name, &folder.join(file), at, params),
            BlockKind::Type(text, place) => Some((text, place)),
            BlockKind::Unknown => None,
        };
        self.devices.apply(&mut params);
        if self.flow.blocks.len() == MOST_BLOCKS {
            return self.too_much(&table.place, "blocks", MOST_BLOCKS);
        }
        self.flow.blocks.push(FlowBlock { name, place: table.place, what, params });
    }

    fn param(&mut self, block: &str, setting: Setting, scope: &Scope) -> Option<FlowParam> {
        let Setting { name, place, value } = setting;
        if name.len() > LONGEST_NAME || matches!(name.as_str(), "type" | "graph" | "connections") {
            let problem = match name.len() > LONGEST_NAME {
                true => format!("expected a name of at most {LONGEST_NAME} bytes"),
                false => "is not a parameter, it cannot be set from outside".to_owned(),
            };
            let (block, param) = (block.to_owned(), shown(&name));
            self.flow.mistakes.add(|| Mistake::Parameter { at: place, block, param, problem });
            return None;
        }
        let subject = format!("block {block}: {}", shown(&name));
        let value = self.evaluated(&place, subject, value, scope);
        Some(FlowParam { name, place, value })
    }

    fn device(&mut self, table: DeviceTable, scope: &Scope) {
        let DeviceTable { name, place, settings } = table;
        let keys = settings.into_iter().map(|Setting { name: key, place, value }| {
            let value = self.evaluated(&place, format!("device {name}: {key}"), value, scope);
            FlowParam { name: key, place, value }
        });
        let keys = keys.collect();
        self.devices.add(name, place, keys, &mut self.flow.mistakes);
    }

    /// What a value comes to; none where a mistake prevents it, which is reported now or was before.
    fn evaluated(
        &mut self,
        place: &Place,
        subject: String,
        value: VariableValue,
        scope: &Scope,
    ) -> Option<Located> {
        match value {
            VariableValue::Ready(located) => located,
            VariableValue::Written(written) => match evaluate(&written, scope, &self.budget) {
                Ok(located) => Some(located),
                Err(NoValue::Consequence) => None,
                Err(NoValue::Wrong(wrong)) => {
                    self.flow.mistakes.add(|| Mistake::Expression {
                        at: place.clone(),
                        subject,
                        error: wrong.with_suggestion(scope),
                    });
                    None
                }
            },
        }
    }

    /// Adds the blocks of the file at `path` as those of `block`.
    fn include(&mut self, block: String, path: &Path, at: Place, params: Vec<FlowParam>) {
        if !self.try_include(&block, path, at, params) {
            self.flow.parts.insert(block, Part { failed: true, ports: BTreeMap::new() });
        }
    }

    fn try_include(&mut self, block: &str, path: &Path, at: Place, params: Vec<FlowParam>) -> bool {
        let included = Included { path: identity(path), shown: shown(&path.display().to_string()) };
        if let Some(start) = self.chain.iter().position(|outer| outer.path == included.path) {
            let files = self.chain[start..].iter().chain([&included]).map(|file| file.shown.as_str());
            let (block, chain) = (block.to_owned(), shown(&files.collect::<Vec<_>>().join(" -> ")));
            self.flow.mistakes.add(|| Mistake::Recursion { at, block, chain });
            return false;
        }
        if self.chain.len() > DEEPEST {
            self.too_much(&at, "files within files", DEEPEST);
            return false;
        }
        self.files += 1;
        if self.files > MOST_FILES {
            self.too_much(&at, "included files", MOST_FILES);
            return false;
        }
        let part = self.parts.iter().find(|(name, _)| path == Path::new(name));
        let read = part.map_or_else(|| read_file(path, &at), |(_, text)| Ok((*text).to_owned()));
        let text = match read {
            Ok(text) => text,
            Err(mistake) => {
                self.flow.mistakes.add(|| mistake);
                return false;
            }
        };
        self.bytes += text.len();
        if self.bytes > LARGEST_FILE {
            self.too_much(&at, "bytes in included files", LARGEST_FILE);
            return false;
        }
        let (file, folder) = (Arc::from(included.shown.as_str()), folder_of(path));
        let Some(document) = toml::read(&text, Some(&file), &folder, &mut self.flow.mistakes) else {
            return false;
        };
        let given = params.into_iter().map(|FlowParam { name, place, value }| {
            let value = VariableValue::Ready(value);
            Setting { name, place, value }
        });
        self.chain.push(included);
        self.document(document, &folder, block, given.collect());
        self.chain.pop();
        true
    }

    /// Reports which sets set nothing.
    fn unused_sets(&mut self, scope: &Scope) {
        let flow = &mut self.flow;
        for (set, used) in self.sets.iter().zip(&self.used) {
            let (block, name) = set.target();
            let (what, name, known): (_, _, Vec<&str>) = match block {
                None if scope.contains_key(name) => continue,
                None => ("variable", name, scope.keys().map(String::as_str).collect()),
                Some(block) => {
                    let unread = |(part, content): (&String, &Part)| {
                        content.failed
                            && block.strip_prefix(part.as_str()).is_some_and(|rest| rest.starts_with('/'))
                    };
                    if *used || flow.parts.iter().any(unread) {
                        continue;
                    }
                    let parts = flow.parts.keys().filter(|part| !part.is_empty());
                    let known = flow.blocks.iter().map(|block| &block.name).chain(parts);
                    ("block", block, known.map(String::as_str).collect())
                }
            };
            flow.mistakes.add(|| {
                let problem = format!("there is no {what} {}{}", shown(name), near(name, known));
                Mistake::Setting { at: set.place(), problem }
            });
        }
    }
}

/// The text of the file at `path`, which is named at `at`.
pub(crate) fn read_file(path: &Path, at: &Place) -> Result<String, Mistake> {
    let failed =
        |error: io::Error| Mistake::Read { at: at.clone(), path: path.to_owned(), error: Arc::new(error) };
    let mut bytes = Vec::new();
    // One byte more than is accepted, so that a device without end does not fill the memory.
    let file = File::open(path).map_err(failed)?;
    file.take(LARGEST_FILE as u64 + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() > LARGEST_FILE {
        return Err(too_large(at, &path.display().to_string()));
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + good.iter().filter(|byte| **byte == b'\n').count();
        let at = Place::Line(Some(shown(&path.display().to_string()).into()), line);
        Mistake::Syntax { at, problem: "expected UTF-8 text".to_owned() }
    })
}

pub(crate) fn too_large(at: &Place, what: &str) -> Mistake {
    Mistake::TooMuch { at: at.clone(), what: format!("bytes in {}", shown(what)), limit: LARGEST_FILE }
}

/// The path that identifies a file, however it is named.
fn identity(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

pub(crate) fn folder_of(path: &Path) -> Arc<Path> {
    path.parent().unwrap_or(Path::new("")).into()
}
