//! Java sources of a subject: its own, and those that several folders of the catalogue have in common.

use std::path::{Path, PathBuf};

use super::SubjectError;
use super::catalogue::{Declaration, is_within};

/// A Java source: how the record calls it, and where it lies.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) name: String,
    pub(super) path: PathBuf,
}

/// The sources of one choice of parameters, `path` being the folder and `root` the catalogue. `fill` replaces
/// placeholders.
///
/// # Errors
/// A source that leads out of its folder once its placeholders are filled in.
pub(super) fn find(
    folder: &str,
    path: &Path,
    root: &Path,
    declaration: &Declaration,
    fill: impl Fn(&str) -> String,
) -> Result<Vec<Source>, SubjectError> {
    let mut sources = Vec::new();
    for source in declaration.javac.iter().map(|template| fill(template)).filter(|path| !path.is_empty()) {
        if !is_within(Path::new(&source)) {
            let why = format!("its source `{source}` leads out of the folder; name a file within it");
            return Err(SubjectError::Parameter { subject: folder.to_string(), why });
        }
        sources.push(Source { name: format!("{folder}/{source}"), path: path.join(source) });
    }
    let shared = declaration.shared.iter();
    sources.extend(shared.map(|at| Source { name: at.display().to_string(), path: root.join(at) }));
    Ok(sources)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::parse;

    const FOLDER: &str = "description: one
parameters: [{ name: age, kind: text, default: '', doc: its age }]
needs: { jdk: '17' }
build: { javac: ['src/{age}.java', '{age}'], shared: [java/All.java] }
start: [[x, '{port}']]
ready: { within: 5s }
stop: { grace: 1s }
";

    fn names(age: &str) -> Result<Vec<String>, String> {
        let declaration = parse(Path::new("subject.yaml"), FOLDER).unwrap();
        let fill = |template: &str| template.replace("{age}", age);
        let found = find("server", Path::new("/c/server"), Path::new("/c"), &declaration, fill);
        let found = found.map_err(|why| why.to_string())?;
        let named = |source: &Source| format!("{} at {}", source.name, source.path.display());
        Ok(found.iter().map(named).collect())
    }

    #[test]
    fn placeholders_name_sources_and_shared_ones_lie_beside_the_folders() {
        assert_eq!(
            names("Old").unwrap(),
            [
                "server/src/Old.java at /c/server/src/Old.java",
                "server/Old at /c/server/Old",
                "java/All.java at /c/java/All.java"
            ]
        );
        assert_eq!(names("").unwrap().len(), 2, "an empty one is left out");
    }

    #[test]
    fn a_placeholder_does_not_lead_out_of_the_folder() {
        let told = names("../../etc/x").unwrap_err();
        assert!(told.contains("`src/../../etc/x.java` leads out of the folder"), "{told}");
    }
}
