//! What is wanted, and what Kubernetes would refuse of it or misunderstand.

use proofload_language::{say, word};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Names of objects and hosts have 63 characters at most; the longest made of a name end in `-coordinator` and
/// `-agents-9999`.
const NAME_MAX: usize = 63 - "-coordinator".len();
/// Of a label of a host name.
const LABEL_MAX: usize = 63;
/// As many as a coordinator lets in.
const AGENTS_MAX: u32 = 10_000;
/// Most bytes of a Secret, names of files aside.
const FILES_BYTES_MAX: usize = 1 << 20;
/// The key of what is set in the study, beside its files.
pub(crate) const SETTINGS_KEY: &str = "settings.of.proofload";
/// As `--token-file` takes them.
const TOKEN_CHARACTERS: std::ops::RangeInclusive<usize> = 32..=4096;
/// Bytes, as Kubernetes writes them. `m` is left out: 512m is half a byte.
const BYTE_SUFFIXES: [&str; 9] = ["", "k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti"];
/// Arguments that a manifest decides.
const OURS: [&str; 6] = ["--agents", "--listen", "--token-file", "--address", "--dir", "--wait"];

/// A study to be run in a cluster.
#[derive(Clone, PartialEq, Eq)]
pub struct Wanted {
    /// What the names of all objects begin with: a DNS label (RFC 1123) that begins with a letter, of 51 characters at most.
    pub name: String,
    /// The namespace, which is there already.
    pub namespace: String,
    /// The image that has `proofload` as its entry point, and what the study's servers need.
    pub image: String,
    /// How many agents, 1 to 10,000.
    pub agents: u32,
    pub agent: Size,
    /// What the coordinator has together with the servers that it starts.
    pub coordinator: Size,
    /// What the coordinator runs by itself; where there is none, it waits for whoever tells it (`kubectl exec`).
    pub study: Option<Study>,
    /// What coordinator and agents both know, 32 to 4096 characters.
    pub token: String,
    /// How long coordinator and agents wait for each other, images being fetched meanwhile.
    pub wait_s: u64,
    /// After how long Kubernetes ends all of it; `None` is never.
    pub deadline_s: Option<u64>,
}

/// A study that is in the objects.
#[derive(Clone, PartialEq, Eq)]
pub struct Study {
    /// Which of the files it is.
    pub file: String,
    /// The study and all that it includes: relative paths, and at most 1 MiB.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Further arguments, as of `proofload run`: everybody who sees the pods reads them.
    pub arguments: Vec<String>,
    /// Values of `--set`, `key=value`: only the coordinator reads them.
    pub settings: Vec<String>,
}

/// Without the token, and without what is in the files.
impl fmt::Debug for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files = self.study.iter().flat_map(|study| study.files.keys()).collect::<Vec<_>>();
        write!(f, "Wanted({}/{}, {} agents, {:?})", self.namespace, self.name, self.agents, files)
    }
}

/// What a container is given, and what it may use at most: both are the same, so that nothing else takes it away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Size {
    /// Whole CPUs, such as `2`: of parts the kernel would stop the container for up to 100 ms at a time.
    pub cpu: String,
    /// Bytes as Kubernetes writes them, such as `512Mi`.
    pub memory: String,
}

/// One thing that cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// Not a name for objects.
    #[error("{}", say!("kubernetes-name", name = .0, most = NAME_MAX))]
    Name(String),
    /// Not a name of a namespace.
    #[error("{}", say!("kubernetes-namespace", name = .0, most = LABEL_MAX))]
    Namespace(String),
    /// Not an image.
    #[error("{}", say!("kubernetes-image", image = .0))]
    Image(String),
    /// Too few, or too many.
    #[error("{}", say!("agents-count", agents = .0, most = AGENTS_MAX))]
    Agents(u32),
    /// Not whole CPUs.
    #[error("{}", say!("kubernetes-cpu", of, text))]
    Cpu { of: &'static str, text: String },
    /// Not an amount of memory.
    #[error("{}", say!("kubernetes-memory", of, text))]
    Memory { of: &'static str, text: String },
    /// Not among the files.
    #[error("{}", say!("kubernetes-study", study = .0))]
    Study(String),
    /// A path that leads elsewhere.
    #[error("{}", say!("kubernetes-path", path = .0))]
    Path(String),
    /// More than a Secret holds.
    #[error("{}", say!("kubernetes-too-large", bytes = .0, most = FILES_BYTES_MAX))]
    TooLarge(usize),
    #[error("{}", say!("kubernetes-argument", argument = .0))]
    Argument(String),
    /// Characters that one reader of YAML or another takes for something else.
    #[error("{}", say!("kubernetes-odd", text = format!("{:?}", .0)))]
    Odd(String),
    /// Too short, too long, or of several lines.
    #[error("{}", word!("kubernetes-token"))]
    Token,
    /// Waits and deadlines have an end, and a beginning.
    #[error("{}", say!("kubernetes-time", what = .0))]
    Time(&'static str),
}

/// All that is wrong, at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused(pub Vec<Problem>);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for Refused {}

impl Wanted {
    /// What would be refused, or misunderstood.
    pub(crate) fn check(&self) -> Result<(), Refused> {
        let mut found = Vec::new();
        let starts_with_letter = self.name.starts_with(|first: char| first.is_ascii_lowercase());
        if !label(&self.name, NAME_MAX) || !starts_with_letter {
            found.push(Problem::Name(self.name.clone()));
        }
        if !label(&self.namespace, LABEL_MAX) {
            found.push(Problem::Namespace(self.namespace.clone()));
        }
        if self.image.is_empty() || self.image.contains(|c: char| c.is_whitespace() || odd(c)) {
            found.push(Problem::Image(self.image.clone()));
        }
        if !(1..=AGENTS_MAX).contains(&self.agents) {
            found.push(Problem::Agents(self.agents));
        }
        found.extend(self.agent.check("agent"));
        found.extend(self.coordinator.check("coordinator"));
        found.extend(self.study.iter().flat_map(Study::check));
        if self.token.contains(odd)
            || self.token.trim() != self.token
            || !TOKEN_CHARACTERS.contains(&self.token.len())
        {
            found.push(Problem::Token);
        }
        if self.wait_s == 0 {
            found.push(Problem::Time(word!("kubernetes-wait")));
        }
        if self.deadline_s == Some(0) {
            found.push(Problem::Time(word!("kubernetes-deadline")));
        }
        if found.is_empty() { Ok(()) } else { Err(Refused(found)) }
    }
}

impl Study {
    fn check(&self) -> Vec<Problem> {
        let mut found = self.check_files();
        let ours = |argument: &&String| {
            OURS.iter().any(|own| {
                argument.strip_prefix(own).is_some_and(|rest| matches!(rest.as_bytes(), [] | [b'=', ..]))
            })
        };
        found.extend(self.arguments.iter().filter(ours).cloned().map(Problem::Argument));
        found.extend(
            self.arguments
                .iter()
                .chain(self.files.keys())
                .filter(|text| text.contains(odd))
                .cloned()
                .map(Problem::Odd),
        );
        found
    }

    fn check_files(&self) -> Vec<Problem> {
        let mut found = Vec::new();
        if !self.files.contains_key(&self.file) {
            found.push(Problem::Study(self.file.clone()));
        }
        let leads_elsewhere =
            |path: &&String| path.split('/').any(|part| part.is_empty() || part.starts_with('.'));
        found.extend(self.files.keys().filter(leads_elsewhere).cloned().map(Problem::Path));
        let bytes = self.files.values().map(Vec::len).sum::<usize>() + self.settings_text().len();
        if bytes > FILES_BYTES_MAX {
            found.push(Problem::TooLarge(bytes));
        }
        found
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
    fn check(&self, of: &'static str) -> Vec<Problem> {
        let mut found = Vec::new();
        let whole = self.cpu.bytes().all(|byte| byte.is_ascii_digit()) && self.cpu.len() <= 4;
        if !whole || self.cpu.is_empty() || self.cpu.starts_with('0') {
            found.push(Problem::Cpu { of, text: self.cpu.clone() });
        }
        let digits = self.memory.bytes().take_while(u8::is_ascii_digit).count();
        let (number, suffix) = self.memory.split_at(digits);
        if number.is_empty()
            || number.len() > 18
            || number.starts_with('0')
            || !BYTE_SUFFIXES.contains(&suffix)
        {
            found.push(Problem::Memory { of, text: self.memory.clone() });
        }
        found
    }
}

/// What does not belong into a line of text. Beside control characters: ends of lines and a mark of byte order, as Unicode
/// has them.
pub(crate) fn odd(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

/// Whether it is a label of a host name (RFC 1123) in small letters.
fn label(text: &str, longest: usize) -> bool {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=longest).contains(&text.len())
        && text.bytes().all(fits)
        && !text.starts_with('-')
        && !text.ends_with('-')
}
