//! The objects of a study in a cluster, as YAML.

use super::{jobs, objects};
use serde_json::Value;

pub use super::jobs::{ATTEND, LISTEN, SETTINGS};
pub use super::objects::PORT;
pub use super::wanted::{Problem, Refused, Size, Study, Wanted};

/// Stands before all objects.
const HEAD: &str = "\
# A study with its coordinator and its agents. `kubectl create -f FILE` makes the objects; `kubectl apply` does with
# --server-side only, since otherwise it writes all files of the study into an annotation, which holds 256 KiB.
";

/// All objects as a YAML stream, in an order in which they can be made one after the other: what pods mount or are kept
/// away from by stands before them. The same wish gives the same bytes.
///
/// The token is in it, readable, and what the study keeps secret: treat it as a password.
///
/// # Errors
/// Everything in `wanted` that Kubernetes would refuse, or take for something else.
pub fn manifest(wanted: &Wanted) -> Result<String, Refused> {
    wanted.check()?;
    let mut documents = vec![
        ("What coordinator and agents both know, and nobody else.", objects::secret(wanted)),
        (
            "The name by which agents find the coordinator, which listens there while it runs.",
            objects::service(wanted),
        ),
        (
            "Only agents of this study reach the coordinator, and the servers beside it.",
            objects::policy(wanted),
        ),
        (
            "The coordinator. The servers run as its children in the same pod, so all variants take turns on one node. When a\n\
             # pod of a Job fails, Kubernetes deletes the others of that Job: so this is a Job of its own, which lives to\n\
             # tell what became of the agents.",
            jobs::coordinator(wanted),
        ),
        (
            "The agents, numbered from 0 by their index. CPUs and memory are asked for as they are limited, so that they are\n\
             # nobody else's; nodes of their own are wished for, not demanded.",
            jobs::agents(wanted),
        ),
    ];
    if let Some(study) = &wanted.study {
        documents.insert(
            1,
            (
                "The study, the files that it names and what is set in it, keys and passwords among them.",
                objects::files(wanted, study),
            ),
        );
    }
    let written = documents.iter().map(|(why, object)| format!("---\n# {why}\n{}", yaml(object)));
    Ok(format!("{HEAD}{}", written.collect::<String>()))
}

fn yaml(object: &Value) -> String {
    // Folded lines are harder to read than long ones, and `kubectl` prints none either.
    let options = serde_saphyr::ser_options! { folded_wrap_chars: usize::MAX, compact_list_indent: true };
    let text = serde_saphyr::to_string_with_options(object, options);
    // Neither an anchor nor a map with keys other than text is in an object, and nothing else can go wrong.
    let text = text.unwrap_or_else(|_| object.to_string());
    if text.ends_with('\n') { text } else { text + "\n" }
}
