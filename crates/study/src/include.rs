//! `include:` — common parts of several studies, in files of their own.
//!
//! Maps are merged, and the keys of the file that includes win; lists and values are not merged. What comes
//! from an included file keeps its place there. Only files in the study's folder or below are read, so that
//! a study from elsewhere cannot show this machine's files in its messages.

use super::field::Field;
use super::keys::{Kind as Described, kinds};
use super::named::read_named;
use super::problem::{Sink, cannot_read, shown};
use super::yaml::{self, Entry, FILE_MAX, Node, Origin, VALUES_MAX, Value};
use proofload_facts::{Expected, Mistake, Thing};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Most files that a study includes, those of its includes counted.
pub(super) const FILES_MAX: usize = 32;

/// Deepest chain of files that include each other.
const DEPTH_MAX: usize = 8;

const FORM: &str = "include: [parts/jvm.yaml]";

kinds! {
    /// A file in the folder of the study, or below it.
    FILE = Described::Text(r"^[^/]");
}

/// A tree with its includes.
pub(super) struct Whole {
    pub(super) tree: Rc<Node>,
    /// The files that were included, as they were named.
    pub(super) included: Vec<String>,
}

/// Expands the includes of a study; `directory` is that of the study file. Mistakes go to `sink`.
pub(super) fn expand(tree: &Rc<Node>, directory: &Path, sink: &Sink) -> Whole {
    let mut reader = Reader {
        sink,
        root: directory,
        open: Vec::new(),
        included: Vec::new(),
        too_many: false,
        bytes: 0,
        values: 0,
    };
    let tree = reader.expand(tree, directory);
    Whole { tree, included: reader.included }
}

struct Reader<'a> {
    sink: &'a Sink,
    /// No file outside is read.
    root: &'a Path,
    /// Files that are being read, each included by the one before.
    open: Vec<PathBuf>,
    included: Vec<String>,
    too_many: bool,
    /// Bytes and values of all included files.
    bytes: usize,
    values: usize,
}

impl Reader<'_> {
    fn expand(&mut self, tree: &Rc<Node>, directory: &Path) -> Rc<Node> {
        let Value::Map(entries) = &tree.value else { return tree.clone() };
        let Some(include) = entries.iter().find(|entry| entry.key == "include") else { return tree.clone() };
        let kept: Vec<Entry> = entries.iter().filter(|entry| entry.key != "include").cloned().collect();
        let mut whole = Rc::new(Node { value: Value::Map(kept), ..Node::clone(tree) });
        let field = Field::new(&include.node, "include", self.sink, &Described::Any);
        // The last of several wins over those before it.
        for item in field.items(FORM).unwrap_or_default().iter().rev() {
            if let Some(part) = self.part(item, directory) {
                whole = merge(&whole, &part);
            }
        }
        whole
    }

    /// The tree of one included file, with what that includes.
    fn part(&mut self, item: &Field<'_>, directory: &Path) -> Option<Rc<Node>> {
        let name = item.text("parts/jvm.yaml")?;
        let named = directory.join(name);
        let path = item.take(self.inside(name, &named))?;
        if self.open.contains(&path) {
            item.problem(Mistake::IncludesItself { file: shown(name) });
            return None;
        }
        if self.open.len() >= DEPTH_MAX {
            item.problem(Mistake::IncludesTooDeep { most: DEPTH_MAX as u64 });
            return None;
        }
        if self.included.len() >= FILES_MAX {
            // Reported once, not for each further file.
            if !std::mem::replace(&mut self.too_many, true) {
                item.problem(Mistake::too_many(Thing::File, self.included.len() + 1, FILES_MAX));
            }
            return None;
        }
        let shown_name = named.display().to_string();
        let source = self.sink.source(&shown_name);
        self.included.push(name.to_string());
        self.sink.names(&named);
        let text = read(&path)
            .map_err(|(line, mistake)| {
                let place = super::problem::Location { source, line, column: line.min(1) };
                self.sink.add(place, "", mistake);
            })
            .ok()?;
        self.bytes += text.len();
        let tree = yaml::parse_from(&text, Origin { source, argument: false }, self.sink)?;
        self.values += tree.values();
        if self.bytes > FILE_MAX || self.values > VALUES_MAX {
            item.problem(yaml::too_large());
            return None;
        }
        if !matches!(tree.value, Value::Map(_)) {
            Field::new(&tree, "", self.sink, &Described::Any)
                .wrong(Expected::Map, "load: { closed: { connections: 64 } }");
            return None;
        }
        self.open.push(path);
        let expanded = self.expand(&tree, named.parent().unwrap_or(directory));
        self.open.pop();
        Some(expanded)
    }

    /// The file that is really meant, links followed, if it lies where included files may lie.
    fn inside(&self, name: &str, named: &Path) -> Result<PathBuf, Mistake> {
        let outside = || Mistake::OutsideFolder { file: shown(name) };
        if Path::new(name).is_absolute() {
            return Err(outside());
        }
        let cannot = |error| cannot_read(shown(name), &error);
        let root = self.root.canonicalize().map_err(cannot)?;
        // Nor is it revealed whether a file outside exists.
        let mut depth = 0_i32;
        let before = named.strip_prefix(self.root).unwrap_or(Path::new(name));
        for part in before.components() {
            depth += if matches!(part, std::path::Component::ParentDir) { -1 } else { 1 };
            if depth < 0 {
                return Err(outside());
            }
        }
        let path = named.canonicalize().map_err(cannot)?;
        if path.starts_with(&root) { Ok(path) } else { Err(outside()) }
    }
}

/// `over` laid on `under`: maps key by key, anything else as `over` has it.
fn merge(over: &Rc<Node>, under: &Rc<Node>) -> Rc<Node> {
    let (Value::Map(own), Value::Map(included)) = (&over.value, &under.value) else { return over.clone() };
    let mut entries: Vec<Entry> = own
        .iter()
        .map(|entry| match included.iter().find(|other| other.key == entry.key) {
            Some(other) => Entry { node: merge(&entry.node, &other.node), ..entry.clone() },
            None => entry.clone(),
        })
        .collect();
    entries.extend(included.iter().filter(|other| own.iter().all(|entry| entry.key != other.key)).cloned());
    Rc::new(Node { value: Value::Map(entries), ..Node::clone(over) })
}

/// Reads at most [`FILE_MAX`] bytes of UTF-8; else the line and the mistake.
pub(super) fn read(path: &Path) -> Result<String, (usize, Mistake)> {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let bytes = read_named(path, &name, FILE_MAX as u64, "1 MiB").map_err(|mistake| match mistake {
        Mistake::FileTooLarge { .. } => (0, yaml::too_large()),
        other => (0, other),
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + good.iter().filter(|b| **b == b'\n').count();
        (line, Mistake::NotUtf8)
    })
}

#[cfg(test)]
mod tests;
