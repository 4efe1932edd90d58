//! The catalogue: folders of subjects that can be started by name.

mod check;
mod declaration;
mod embedded;
pub(crate) mod rules;
pub(crate) mod template;

use proofload_facts::Mistake;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) use check::is_within;
#[cfg(test)]
pub(crate) use check::parse;
pub use declaration::Declaration;
pub(crate) use declaration::ProcessDeclaration;

use proofload_study::problem::{Problem, cannot_read};
use proofload_study::{Declarations, Parameter, Problems, Speaks};

use super::SubjectError;
use super::cache::Cache;

/// Environment variable that names the folder of subjects.
pub const CATALOGUE_VARIABLE: &str = "PROOFLOAD_CATALOGUE";

const DECLARATION: &str = "subject.yaml";
/// A declaration is a page of text.
const FILE_BYTES_MAX: u64 = 256 << 10;

#[derive(Clone, Debug)]
pub struct Catalogue {
    root: PathBuf,
    folders: BTreeMap<String, Declaration>,
    /// It is the one in this executable.
    is_embedded: bool,
}

impl Catalogue {
    /// Finds the catalogue: `given` by the caller, else named by [`CATALOGUE_VARIABLE`], else a folder
    /// `subjects` in `beside` (where the study lies) or above it, else in the working directory or above it,
    /// else the one embedded in this executable, unpacked into the cache.
    ///
    /// # Errors
    /// A named folder holds no subject, or one of its declarations is wrong.
    pub fn find(given: Option<&Path>, beside: Option<&Path>) -> Result<Catalogue, SubjectError> {
        if let Some(path) = given {
            return Catalogue::named(path, "named by --catalogue");
        }
        if let Some(path) = std::env::var_os(CATALOGUE_VARIABLE).filter(|path| !path.is_empty()) {
            return Catalogue::named(Path::new(&path), "named by PROOFLOAD_CATALOGUE");
        }
        let here = std::env::current_dir().ok();
        let beside_study = beside.and_then(|place| std::path::absolute(place).ok());
        let places = [beside_study.as_deref(), here.as_deref()];
        match places.into_iter().flatten().find_map(upward) {
            Some(root) => Catalogue::read(&root),
            None => {
                let embedded = Catalogue::read(&embedded::unpack(&Cache::open()?)?)?;
                Ok(Catalogue { is_embedded: true, ..embedded })
            }
        }
    }

    fn named(path: &Path, from: &'static str) -> Result<Catalogue, SubjectError> {
        if !holds_subjects(path) {
            return Err(SubjectError::NoCatalogue { path: path.to_path_buf(), from });
        }
        Catalogue::read(path)
    }

    /// Reads all folders of `root`.
    ///
    /// # Errors
    /// All mistakes in all declarations.
    pub fn read(root: &Path) -> Result<Catalogue, SubjectError> {
        let root = std::path::absolute(root).map_err(SubjectError::files(root, "path"))?;
        let entries = fs::read_dir(&root).map_err(SubjectError::files(&root, "read"))?;
        let mut folders = BTreeMap::new();
        let mut mistakes = Vec::new();
        for entry in entries.flatten() {
            let file = entry.path().join(DECLARATION);
            let Ok(name) = entry.file_name().into_string() else { continue };
            if !file.is_file() {
                continue;
            }
            match read_text(&file).and_then(|text| check::parse(&file, &text)) {
                Ok(declaration) => {
                    folders.insert(name, declaration);
                }
                Err(found) => mistakes.extend(found.0),
            }
        }
        if mistakes.is_empty() {
            Ok(Catalogue { root, folders, is_embedded: false })
        } else {
            Err(SubjectError::Declaration(Problems(mistakes)))
        }
    }

    /// The folder that holds the subjects.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The files of one of its folders, relative to the catalogue's, with the sources that it shares with others.
    /// Hidden files are not part of a subject, nor are targets of links. Empty where the files are embedded in this
    /// executable.
    ///
    /// # Errors
    /// There is no such folder, or it cannot be read.
    pub fn files_of(&self, folder: &str) -> Result<Vec<PathBuf>, SubjectError> {
        let (path, declaration) = self.subject(folder)?;
        if self.is_embedded {
            return Ok(Vec::new());
        }
        let (mut files, mut open) = (declaration.shared.clone(), vec![path]);
        while let Some(next) = open.pop() {
            let unread = || SubjectError::files(&next, "read");
            for entry in fs::read_dir(&next).map_err(unread())? {
                let entry = entry.map_err(unread())?;
                let kind = entry.file_type().map_err(unread())?;
                if entry.file_name().as_encoded_bytes().starts_with(b".") {
                    continue;
                } else if kind.is_dir() {
                    open.push(entry.path());
                } else if kind.is_file() {
                    files.extend(entry.path().strip_prefix(&self.root).map(Path::to_path_buf));
                }
            }
        }
        Ok(files)
    }

    pub fn subjects(&self) -> impl Iterator<Item = (&str, &Declaration)> {
        self.folders.iter().map(|(name, declaration)| (name.as_str(), declaration))
    }

    /// One line for each subject.
    pub fn list(&self) -> String {
        let width = self.folders.keys().map(String::len).max().unwrap_or(0);
        let mut text = format!("catalogue {}\n\n", self.root.display());
        for (name, declaration) in &self.folders {
            text.push_str(&format!("{name:<width$}  {}\n", declaration.plain_description()));
        }
        text
    }

    /// A subject with its parameters.
    ///
    /// # Errors
    /// There is no such folder.
    pub fn show(&self, folder: &str) -> Result<String, SubjectError> {
        let (path, declaration) = self.subject(folder)?;
        Ok(format!(
            "{folder}: {}\n{}\n\n{}",
            declaration.plain_description(),
            path.display(),
            declaration.explain()
        ))
    }

    /// All subjects, for programs: name and description of each.
    pub fn list_json(&self) -> serde_json::Value {
        let one = |(name, declaration): (&String, &Declaration)| serde_json::json!({ "name": name, "description": declaration.plain_description() });
        serde_json::json!({
            "catalogue": self.root.display().to_string(),
            "subjects": self.folders.iter().map(one).collect::<Vec<_>>(),
        })
    }

    /// A subject with its parameters, for programs.
    ///
    /// # Errors
    /// There is no such folder.
    pub fn show_json(&self, folder: &str) -> Result<serde_json::Value, SubjectError> {
        let (path, declaration) = self.subject(folder)?;
        let mut shown = declaration.to_json();
        shown["name"] = folder.into();
        shown["path"] = path.display().to_string().into();
        Ok(shown)
    }

    /// A subject with its folder.
    pub(crate) fn subject(&self, folder: &str) -> Result<(PathBuf, &Declaration), SubjectError> {
        let declaration = self.folders.get(folder).ok_or_else(|| SubjectError::UnknownFolder {
            folder: folder.to_string(),
            catalogue: self.root.clone(),
            known: self.folders.keys().cloned().collect(),
        })?;
        Ok((self.root.join(folder), declaration))
    }
}

impl Declarations for Catalogue {
    fn parameters(&self, folder: &str) -> Option<Vec<Parameter>> {
        self.folders.get(folder).map(|declaration| declaration.parameters.clone())
    }

    fn folders(&self) -> Vec<String> {
        self.folders.keys().cloned().collect()
    }

    fn check_combination(&self, folder: &str, given: &BTreeMap<String, String>) -> Result<(), Vec<Mistake>> {
        let Some(declaration) = self.folders.get(folder) else { return Ok(()) };
        declaration.check_combination(&declaration.values_with_defaults(given))
    }

    fn needs_jdk(&self, folder: &str) -> bool {
        self.folders.get(folder).is_some_and(|declaration| declaration.jdk.is_some())
    }

    fn speaks(&self, folder: &str, given: &BTreeMap<String, String>) -> Result<Speaks, Mistake> {
        self.folders.get(folder).map_or(Ok(Speaks::Http), |declaration| declaration.speaks(given))
    }

    fn shares(&self, folder: &str) -> Option<String> {
        self.folders.get(folder)?.shares.clone()
    }
}

fn read_text(file: &Path) -> Result<String, Problems> {
    proofload_host::files::read_text(file, FILE_BYTES_MAX).map_err(|error| {
        let file = file.display().to_string();
        let mistake = cannot_read(&file, &error);
        Problems(vec![Problem { file, line: 0, column: 0, key: String::new(), mistake }])
    })
}

/// The nearest folder `subjects` beside a place or above it.
fn upward(place: &Path) -> Option<PathBuf> {
    place.ancestors().map(|above| above.join("subjects")).find(|path| holds_subjects(path))
}

fn holds_subjects(path: &Path) -> bool {
    let mut entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries.any(|entry| entry.path().join(DECLARATION).is_file())
}

#[cfg(test)]
mod tests;
