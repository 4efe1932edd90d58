//! The templates of a declaration, filled in with everything that can be known before the start.

use std::path::{Path, PathBuf};

use proofload_host::jdk::Jdk;
use proofload_study::{Parameter, ParameterKind, duration};

use crate::catalogue::Declaration;
use crate::catalogue::rules::Values;
use crate::catalogue::template::{ENDPOINT_PORT, Filled, UNITS, fill};
use crate::debian;

/// This executable. Its file may have been replaced by a newer build while it runs; then it has no path.
pub fn this_program() -> PathBuf {
    std::env::current_exe().ok().filter(|path| path.is_file()).unwrap_or_else(|| "/proc/self/exe".into())
}

pub(super) struct Templates<'a> {
    pub(super) declaration: &'a Declaration,
    pub(super) values: Values,
    pub(super) jdk: Option<Jdk>,
    /// The classes that are built, then the archives.
    pub(super) class_path: Vec<PathBuf>,
    /// Root of the unpacked archives; empty where the folder needs nothing at all.
    pub(super) unpacked: PathBuf,
    /// Root of the unpacked Debian packages; `None` without any.
    pub(super) debian: Option<PathBuf>,
}

impl<'a> Templates<'a> {
    pub(super) fn new(declaration: &'a Declaration, values: Values) -> Self {
        Templates {
            declaration,
            values,
            jdk: None,
            class_path: Vec::new(),
            unpacked: PathBuf::new(),
            debian: None,
        }
    }

    pub(super) fn text(&self, template: &str) -> String {
        self.fill(template).text
    }

    /// Fills a template; a value that is not known before the start stays a placeholder.
    pub(super) fn fill(&self, template: &str) -> Filled {
        self.fill_with(template, &self.values)
    }

    /// Each template's text; one with an empty placeholder is left out.
    pub(super) fn texts(&self, templates: &[String]) -> Vec<String> {
        let filled = templates.iter().map(|template| self.fill(template));
        filled.filter(|filled| !filled.lacks).map(|filled| filled.text).collect()
    }

    fn fill_with(&self, template: &str, values: &Values) -> Filled {
        fill(template, |name| self.value(name, values))
    }

    fn value(&self, name: &str, values: &Values) -> Option<String> {
        let path = |path: &Path| Some(path.to_string_lossy().into_owned());
        match name {
            "proofload" => path(&this_program()),
            "java" => path(&self.jdk.as_ref()?.home.join("bin/java")),
            "java_home" => path(&self.jdk.as_ref()?.home),
            "class_path" => Some(class_path(&self.class_path)),
            "unpacked" => path(&self.unpacked),
            // Empty without packages: then what needs them is left out.
            "debian" => Some(self.debian.as_deref().and_then(path).unwrap_or_default()),
            "debian_lib" => {
                let library = |root: &PathBuf| path(&root.join("usr/lib").join(debian::multiarch()));
                Some(self.debian.as_ref().and_then(library).unwrap_or_default())
            }
            _ => match self.declaration.switches.get(name) {
                Some(argument) => {
                    let on = values.text(name).is_some_and(|value| value == "true");
                    Some(if on { argument.clone() } else { String::new() })
                }
                None => values
                    .text(name)
                    .or_else(|| self.derived(name, values))
                    .or_else(|| self.each_endpoint(name))
                    .or_else(|| self.in_units(name, values)),
            },
        }
    }

    /// The recursion ends, because a derived text names only those that were declared before it.
    fn derived(&self, name: &str, values: &Values) -> Option<String> {
        let derived = self.declaration.derived.iter().find(|derived| derived.name == name)?;
        Some(self.fill_with(derived.template(values), values).text)
    }

    fn each_endpoint(&self, name: &str) -> Option<String> {
        Some(self.of_each_endpoint(self.declaration.each_endpoint.get(name)?).join("\n"))
    }

    /// The text once for each endpoint, with that endpoint's level as the shared parameter. The recursion ends,
    /// because such a text names only those that were declared before it.
    pub(super) fn of_each_endpoint(&self, template: &str) -> Vec<String> {
        let of_one = |(number, level): (usize, String)| {
            let mut values = Values { plain: self.values.plain.clone(), shared: None };
            if let Some(shared) = &self.declaration.shares {
                values.plain.insert(shared.clone(), level);
            }
            // The port is known at the start only.
            let port = format!("{{{ENDPOINT_PORT}{number}}}");
            fill(template, |name| if name == "port" { Some(port.clone()) } else { self.value(name, &values) })
                .text
        };
        self.endpoints().into_iter().enumerate().map(of_one).collect()
    }

    fn in_units(&self, name: &str, values: &Values) -> Option<String> {
        let (name, unit_ns) = UNITS.iter().find_map(|(unit, ns)| Some((name.strip_suffix(unit)?, ns)))?;
        let of_time =
            |parameter: &&Parameter| parameter.name == name && parameter.kind == ParameterKind::Duration;
        self.declaration.parameters.iter().find(of_time)?;
        let value = values.text(name)?;
        Some(duration(&value).map(|ns| (ns / unit_ns).to_string()).unwrap_or_default())
    }

    /// The levels that share a start, or the one level of a subject that could share.
    pub(super) fn endpoints(&self) -> Vec<String> {
        match (&self.values.shared, &self.declaration.shares) {
            (Some((_, levels)), _) => levels.clone(),
            (None, Some(name)) => vec![self.values.text(name).unwrap_or_default()],
            (None, None) => vec![String::new()],
        }
    }

    /// A group of arguments with an empty placeholder is left out: that is how an option is not given.
    pub(super) fn arguments(&self, groups: &[Vec<String>]) -> Vec<String> {
        let mut args = Vec::new();
        for group in groups {
            let filled: Vec<Filled> = group.iter().map(|argument| self.fill(argument)).collect();
            if filled.iter().any(|argument| argument.lacks) {
                continue;
            }
            for (argument, filled) in group.iter().zip(filled) {
                if self.is_words(argument) {
                    args.extend(filled.text.split_whitespace().map(str::to_string));
                } else {
                    args.push(filled.text);
                }
            }
        }
        args
    }

    /// True if an argument is only a parameter of several words, each an argument of its own.
    fn is_words(&self, argument: &str) -> bool {
        let parameter = |parameter: &&Parameter| format!("{{{}}}", parameter.name) == argument;
        let found = self.declaration.parameters.iter().find(parameter);
        found.is_some_and(|found| matches!(found.kind, ParameterKind::Words(_)))
    }
}

/// Paths as `java -cp` takes them.
pub(super) fn class_path(paths: &[PathBuf]) -> String {
    let parts: Vec<_> = paths.iter().map(|path| path.to_string_lossy()).collect();
    parts.join(":")
}
