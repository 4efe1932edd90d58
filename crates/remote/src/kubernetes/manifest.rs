//! The objects of a study in a cluster, as YAML: two Jobs whose pods meet the pod security standard *restricted*, and what these need.

use super::spec::{ManifestSpec, SETTINGS_KEY, StudyFiles, WAIT, odd};
use crate::error::RemoteError;
use data_encoding::BASE64;
use serde_json::{Map, Value, json};

/// The argument of a coordinator's first process that waits for its order.
pub const ATTEND: &str = "__attend";
/// In its environment: where agents dial.
pub const LISTEN: &str = "PROOFLOAD_LISTEN";
/// In its environment: a file with the settings of the study, a list in JSON, which any user could read in an argument.
pub const SETTINGS: &str = "PROOFLOAD_SETTINGS";
/// Path of it below the study's folder; no file of a study is hidden.
const SETTINGS_PATH: &str = ".settings.json";

/// The label that distinguishes the two kinds of pods, and its value for one of them.
pub(crate) const COMPONENT_LABEL: &str = "app.kubernetes.io/component";
pub(crate) const COORDINATOR: &str = "coordinator";

/// All objects, those that others need first, with `$NAMES` for the values of a specification. Comments before an
/// object are printed.
const TEMPLATE: &str = include_str!("manifest.yaml");

/// All objects as a YAML stream, in an order in which they can be made one after the other: objects that pods mount,
/// and the network policies, precede them. The same specification gives the same bytes.
///
/// The token is in it, readable, and the secrets of the study: treat it as a password.
///
/// # Errors
/// Everything in `spec` that Kubernetes would refuse, or take for something else.
pub fn manifest(spec: &ManifestSpec) -> Result<String, RemoteError> {
    spec.check()?;
    let mut written = String::new();
    for part in TEMPLATE.split("---\n") {
        let comments = part.lines().take_while(|line| line.starts_with('#'));
        let comments: String = comments.map(|line| format!("{line}\n")).collect();
        if written.is_empty() {
            written = comments;
            continue;
        }
        let mut object: Value = serde_saphyr::from_str(part).map_err(RemoteError::usage)?;
        let is_files = object["metadata"]["name"] == "$NAME-study";
        let is_coordinator = object["kind"] == "Job" && object["metadata"]["name"] == "$NAME-coordinator";
        fill(&mut object, spec);
        match &spec.study {
            None if is_files => continue,
            Some(study) if is_files => add_files(&mut object, study),
            study if is_coordinator => complete(&mut object["spec"]["template"]["spec"], study.as_ref()),
            _ => {}
        }
        written += &format!("---\n{comments}{}", yaml(&object));
    }
    Ok(written)
}

fn yaml(object: &Value) -> String {
    // Folded lines are harder to read than long ones, and `kubectl` prints none either.
    let options = serde_saphyr::ser_options! { folded_wrap_chars: usize::MAX, compact_list_indent: true };
    let text = serde_saphyr::to_string_with_options(object, options);
    // Neither an anchor nor a map with keys other than text is in an object, and nothing else can go wrong.
    let text = text.unwrap_or_else(|_| object.to_string());
    if text.ends_with('\n') { text } else { text + "\n" }
}

/// Fills a specification in.
fn fill(value: &mut Value, spec: &ManifestSpec) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| fill(item, spec)),
        Value::Object(items) => items.values_mut().for_each(|item| fill(item, spec)),
        Value::String(text) => {
            *value = match text.as_str() {
                "$IMAGE" => json!(spec.image),
                "$TOKEN" => json!(spec.token),
                "$AGENTS" => json!(spec.agents),
                "$COUNT" => json!(spec.agents.to_string()),
                "$WAIT" => json!(format!("{}s", WAIT.as_secs())),
                "$AGENT_CPU" => json!(spec.agent.cpu),
                "$AGENT_MEMORY" => json!(spec.agent.memory),
                "$COORDINATOR_CPU" => json!(spec.coordinator.cpu),
                "$COORDINATOR_MEMORY" => json!(spec.coordinator.memory),
                // These two are labels: nothing in them would be filled in again.
                text => text.replace("$NAMESPACE", &spec.namespace).replace("$NAME", &spec.name).into(),
            };
        }
        _ => {}
    }
}

/// Adds the files of the study, as text where they are text, and its settings: there are keys and passwords among them.
fn add_files(secret: &mut Value, study: &StudyFiles) {
    let (mut text, mut binary) = (Map::new(), Map::new());
    for (key, _, bytes) in study.keyed_files() {
        match std::str::from_utf8(bytes) {
            Ok(content) if reads_back(content) => text.insert(key, content.into()),
            _ => binary.insert(key, BASE64.encode(bytes).into()),
        };
    }
    if !study.settings.is_empty() {
        binary.insert(SETTINGS_KEY.into(), BASE64.encode(study.settings_text().as_bytes()).into());
    }
    for (key, content) in [("data", binary), ("stringData", text)] {
        if !content.is_empty() {
            secret[key] = Value::Object(content);
        }
    }
}

/// True when every reader of YAML takes a block of these lines for just them. `kubectl` refuses some that begin with tabs or
/// are blank, others drop marks of byte order, or end lines where Unicode does.
fn reads_back(text: &str) -> bool {
    let indented = text.starts_with(|first: char| first.is_whitespace());
    let blank = |line: &str| !line.is_empty() && line.trim().is_empty();
    !indented
        && !text.contains(|c| odd(c) && !matches!(c, '\n' | '\t'))
        && !text.lines().any(|line| line.starts_with('\t') || blank(line))
}

/// Gives the coordinator's pod its study; without one it waits for an order.
fn complete(pod: &mut Value, study: Option<&StudyFiles>) {
    let settings = study.is_some_and(|study| !study.settings.is_empty());
    let stays = |item: &Value| match item["name"].as_str() {
        Some(SETTINGS) => settings,
        Some(LISTEN) => study.is_none(),
        Some("study") => study.is_some(),
        _ => true,
    };
    for list in ["/containers/0/env", "/containers/0/volumeMounts", "/volumes"] {
        pod.pointer_mut(list).and_then(Value::as_array_mut).into_iter().for_each(|list| list.retain(stays));
    }
    let args = &mut pod["containers"][0]["args"];
    let Some(study) = study else {
        *args = json!([ATTEND]);
        return;
    };
    args[1] = literal(&format!("/study/{}", study.file));
    args.as_array_mut().into_iter().for_each(|args| {
        args.extend(study.arguments.iter().map(|argument| literal(argument)));
    });
    let files = study.keyed_files().into_iter();
    let mut items: Vec<Value> = files.map(|(key, path, _)| json!({ "key": key, "path": path })).collect();
    if settings {
        items.push(json!({ "key": SETTINGS_KEY, "path": SETTINGS_PATH }));
    }
    pod["volumes"][0]["secret"]["items"] = items.into();
}

/// An argument, taken literally: `$(NAME)` of it would be replaced by a variable.
fn literal(argument: &str) -> Value {
    argument.replace('$', "$$").into()
}
