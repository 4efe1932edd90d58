//! The values of a folder's parameters: given by the study, else the defaults.

use std::collections::BTreeMap;

use proofload_study::SubjectSpec;

use crate::SubjectError;
use crate::catalogue::rules::Values;
use crate::catalogue::{Catalogue, Declaration};
use proofload_study::told;

/// Variants of one folder that share a start.
pub(crate) struct Sharing<'s> {
    pub(crate) folder: &'s str,
    pub(crate) with: &'s BTreeMap<String, String>,
    /// Of each variant, in order.
    pub(crate) levels: Vec<String>,
}

/// Plan of one start that these variants share.
///
/// # Errors
/// They cannot share one.
pub(crate) fn shared<'s>(
    name: &str,
    specs: &'s [SubjectSpec],
    catalogue: &Catalogue,
) -> Result<Sharing<'s>, SubjectError> {
    let refused = |why: String| SubjectError::Parameter { subject: name.to_string(), why };
    let Some(SubjectSpec::Catalogue { folder, with }) = specs.first() else {
        return Err(refused("only subjects of the catalogue can share a process; leave shared out".into()));
    };
    let (_, declaration) = catalogue.subject(folder)?;
    let Some(parameter) = &declaration.shares else {
        return Err(refused(format!("{folder} declares nothing that variants can share; leave shared out")));
    };
    let alike = |with: &BTreeMap<String, String>| {
        let mut values = declaration.values_with_defaults(with).plain;
        let level = values.remove(parameter).unwrap_or_default();
        (values, level)
    };
    let (first, _) = alike(with);
    let mut levels = Vec::new();
    for spec in specs {
        let other = match spec {
            SubjectSpec::Catalogue { folder: other, with } if other == folder => Some(alike(with)),
            _ => None,
        };
        match other.filter(|(values, level)| *values == first && !levels.contains(level)) {
            Some((_, level)) => levels.push(level),
            None => {
                let why = format!(
                    "variants of {folder} that share a process may differ in {parameter} alone; \
                                   vary nothing else or leave shared out"
                );
                return Err(refused(why));
            }
        }
    }
    Ok(Sharing { folder, with, levels })
}

/// All parameters with their values; `levels` are those of the shared parameter, none for a start of its own.
///
/// # Errors
/// A parameter that is not declared, missing or wrong; a combination that does not apply.
pub(super) fn values(
    folder: &str,
    declaration: &Declaration,
    with: &BTreeMap<String, String>,
    levels: &[String],
) -> Result<Values, SubjectError> {
    let wrong = |why: String| SubjectError::Parameter { subject: folder.to_string(), why };
    let names: Vec<&str> = declaration.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    if let Some(unknown) = with.keys().find(|name| !names.contains(&name.as_str())) {
        return Err(wrong(format!("no parameter `{unknown}`; there are: {}", names.join(", "))));
    }
    let mut values = declaration.values_with_defaults(with);
    for parameter in &declaration.parameters {
        let value = values.plain.get(&parameter.name);
        let value = value
            .ok_or_else(|| wrong(format!("parameter {} must be given: {}", parameter.name, parameter.doc)))?;
        // An empty default marks an option that is not given.
        let left_out = value.is_empty() && parameter.default.as_deref() == Some("");
        if !left_out {
            parameter
                .check(value)
                .map_err(|why| wrong(format!("parameter {}: {}", parameter.name, told(&why))))?;
        }
    }
    for level in levels.iter().map(Some).chain(levels.is_empty().then_some(None)) {
        let mut one = values.clone();
        if let (Some(level), Some(name)) = (level, &declaration.shares) {
            one.plain.insert(name.clone(), level.clone());
        }
        declaration
            .check_combination(&one)
            .map_err(|broken| wrong(broken.iter().map(told).collect::<Vec<_>>().join(", ")))?;
    }
    values.shared =
        declaration.shares.clone().filter(|_| !levels.is_empty()).map(|name| (name, levels.to_vec()));
    Ok(values)
}
