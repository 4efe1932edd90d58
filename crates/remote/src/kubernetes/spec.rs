//! Specification of a manifest, and what Kubernetes would refuse of it or misunderstand.

use crate::error::RemoteError;
use proofload_language::tr;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

/// Time that coordinator and agents wait for each other, images being fetched meanwhile.
pub(crate) const WAIT: Duration = Duration::from_secs(600);
/// Names of objects and hosts have 63 characters at most; the longest made of a name end in `-coordinator` and
/// `-agents-9999`.
const NAME_MAX: usize = 63 - "-coordinator".len();
/// Of a label of a host name.
const LABEL_MAX: usize = 63;
/// Most bytes of a Secret, names of files aside.
const FILES_BYTES_MAX: usize = 1 << 20;
/// The key of the settings of the study, beside its files.
pub(crate) const SETTINGS_KEY: &str = "settings.of.proofload";
/// Bytes, as Kubernetes writes them. `m` is left out: 512m is half a byte.
const BYTE_SUFFIXES: [&str; 9] = ["", "k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti"];

/// A study to be run in a cluster.
#[derive(Clone)]
pub struct ManifestSpec {
    /// Name prefix: a DNS label (RFC 1123) that begins with a letter, of 51 characters at most.
    pub name: String,
    /// The namespace, which is there already.
    pub namespace: String,
    /// The image that has `proofload` as its entry point, and the programs of the study's servers.
    pub image: String,
    pub agents: u32,
    pub agent: Size,
    /// The coordinator together with the servers that it starts.
    pub coordinator: Size,
    /// The study that the coordinator runs by itself; where there is none, it waits for an order (`kubectl exec`).
    pub study: Option<StudyFiles>,
    /// Secret that coordinator and agents share.
    pub token: String,
}

/// A study that is in the objects.
#[derive(Clone)]
pub struct StudyFiles {
    /// The study among the files.
    pub file: String,
    /// The study and all that it includes: relative paths, and at most 1 MiB.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Further arguments, as of `proofload run`: everybody who can read the pods can read them.
    pub arguments: Vec<String>,
    /// Values of `--set`, `key=value`: only the coordinator reads them.
    pub settings: Vec<String>,
}

/// Without the token, and without the content of the files.
impl fmt::Debug for ManifestSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files = self.study.iter().flat_map(|study| study.files.keys()).collect::<Vec<_>>();
        write!(f, "ManifestSpec({}/{}, {} agents, {:?})", self.namespace, self.name, self.agents, files)
    }
}

/// Resources that a container is given, and that it may use at most: both are the same, so that nothing else takes it away.
#[derive(Clone, Debug)]
pub struct Size {
    /// Whole CPUs, such as `2`: of parts the kernel would stop the container for up to 100 ms at a time.
    pub cpu: String,
    /// Bytes as Kubernetes writes them, such as `512Mi`.
    pub memory: String,
}

impl ManifestSpec {
    /// Finds what would be refused, or misunderstood, all of it at once.
    pub(crate) fn check(&self) -> Result<(), RemoteError> {
        let ManifestSpec { name, namespace, image, .. } = self;
        let mut found = Vec::new();
        if !label(name, NAME_MAX) || !name.starts_with(|first: char| first.is_ascii_lowercase()) {
            found.push(tr!("kubernetes-name", name, most = NAME_MAX));
        }
        if !label(namespace, LABEL_MAX) {
            found.push(tr!("kubernetes-namespace", name = namespace, most = LABEL_MAX));
        }
        if image.is_empty() || image.contains(|c: char| c.is_whitespace() || odd(c)) {
            found.push(tr!("kubernetes-image", image));
        }
        self.agent.check("agent", &mut found);
        self.coordinator.check("coordinator", &mut found);
        self.study.iter().for_each(|study| study.check(&mut found));
        if found.is_empty() { Ok(()) } else { Err(RemoteError::Usage(found.join("\n"))) }
    }
}

impl StudyFiles {
    fn check(&self, found: &mut Vec<String>) {
        let leads_elsewhere =
            |path: &&String| path.split('/').any(|part| part.is_empty() || part.starts_with('.'));
        let elsewhere = self.files.keys().filter(leads_elsewhere);
        found.extend(elsewhere.map(|path| tr!("kubernetes-path", path)));
        let bytes = self.files.values().map(Vec::len).sum::<usize>() + self.settings_text().len();
        if bytes > FILES_BYTES_MAX {
            found.push(tr!("kubernetes-too-large", bytes, most = FILES_BYTES_MAX));
        }
        let texts = self.arguments.iter().chain(self.files.keys()).filter(|text| text.contains(odd));
        found.extend(texts.map(|text| tr!("kubernetes-odd", text = format!("{text:?}"))));
    }

    /// The settings as they lie in a file.
    pub(crate) fn settings_text(&self) -> String {
        serde_json::to_string(&self.settings).unwrap_or_default()
    }

    /// Each file with the key that it has in the Secret, where a slash and most other characters are not possible.
    pub(crate) fn keyed_files(&self) -> Vec<(String, &str, &[u8])> {
        let mut taken = BTreeSet::from([SETTINGS_KEY.to_owned()]);
        let keyed = self.files.iter().enumerate().map(|(at, (path, bytes))| {
            let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
            let mut key: String = path.chars().map(|c| if fits(c) { c } else { '_' }).take(200).collect();
            if !taken.insert(key.clone()) {
                key = format!("{key}-{at}");
                taken.insert(key.clone());
            }
            (key, path.as_str(), bytes.as_slice())
        });
        keyed.collect()
    }
}

impl Size {
    fn check(&self, of: &str, found: &mut Vec<String>) {
        let whole = self.cpu.bytes().all(|byte| byte.is_ascii_digit()) && self.cpu.len() <= 4;
        if !whole || self.cpu.is_empty() || self.cpu.starts_with('0') {
            found.push(tr!("kubernetes-cpu", of, text = self.cpu));
        }
        let digits = self.memory.bytes().take_while(u8::is_ascii_digit).count();
        let (number, suffix) = self.memory.split_at(digits);
        let is_number = (1..=18).contains(&number.len()) && !number.starts_with('0');
        if !is_number || !BYTE_SUFFIXES.contains(&suffix) {
            found.push(tr!("kubernetes-memory", of, text = self.memory));
        }
    }
}

/// Characters that do not belong into a line of text. Beside control characters: ends of lines and a mark of byte order, as Unicode
/// has them.
pub(crate) fn odd(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

/// A label of a host name (RFC 1123) in small letters.
fn label(text: &str, longest: usize) -> bool {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=longest).contains(&text.len())
        && text.bytes().all(fits)
        && !text.starts_with('-')
        && !text.ends_with('-')
}
