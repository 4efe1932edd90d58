//! Inputs of people and other machines: command lines, studies, records, archives.

use proofload_store::Run;
use proofload_study::{Declarations, Options, Parameter};
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Words, a line each: taken or refused, and so are the values that options have.
pub fn argv(input: &[u8]) {
    let lines = || input.split(|byte| *byte == b'\n').map(<[u8]>::to_vec);
    let words = lines().map(OsString::from_vec);
    let _taken = proofload_cli::takes(std::iter::once(OsString::from("proofload")).chain(words).collect());
    for line in lines() {
        let text = String::from_utf8_lossy(&line);
        let _ =
            (proofload_study::duration(&text), proofload_study::rate(&text), proofload_study::size(&text));
        let _ = (proofload_study::header(&text), proofload_study::keep_alive(&text));
        let _ = (proofload_study::stages::stage(&text), proofload_study::parse_url_unresolved(&text));
    }
}

struct Nothing;

impl Declarations for Nothing {
    fn parameters(&self, folder: &str) -> Option<Vec<Parameter>> {
        (folder == "reference").then(Vec::new)
    }
}

/// The text of a study, and behind a NUL what is set in it.
pub fn study(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let mut parts = text.split('\0');
    let text = parts.next().unwrap_or_default();
    let options = Options { set: parts.map(str::to_string).collect(), ..Options::default() };
    if let Err(problems) =
        proofload_study::parse(text, "study.yaml", Path::new("/nowhere"), &options, &Nothing)
    {
        let said = problems.to_string();
        assert!(!said.is_empty());
        assert!(!said.chars().any(|c| c.is_control() && c != '\n'), "{said:?}");
    }
}

/// A folder that only this process uses, gone when the machine restarts.
fn folder(name: &str) -> PathBuf {
    let root = if Path::new("/dev/shm").is_dir() { PathBuf::from("/dev/shm") } else { std::env::temp_dir() };
    root.join(format!("proofload-fuzz-{name}-{}", std::process::id()))
}

const FILES: [&str; 8] = [
    "plan.json",
    "environment.json",
    "status.json",
    "slicing.json",
    "blocks/0001.jsonl",
    "blocks/0002.jsonl.gz",
    "blocks/0001.warm-up.json",
    "result.json",
];
const RECORD_BYTES_MAX: u64 = 64 << 20;

/// A whole record in which one file is another: read, judged and drawn, or refused.
pub fn record(input: &[u8]) {
    static RECORD: OnceLock<PathBuf> = OnceLock::new();
    let record = RECORD.get_or_init(|| {
        let (from, to) = (
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/store/testdata/v3-newest"),
            folder("record"),
        );
        fs::create_dir_all(to.join("blocks")).expect("a folder");
        for file in ["plan.json", "environment.json", "status.json", "blocks/0001.jsonl"] {
            fs::copy(from.join(file), to.join(file)).expect("a record");
        }
        to
    });
    let Some((which, content)) = input.split_first() else { return };
    let path = record.join(FILES[usize::from(*which) % FILES.len()]);
    let before = fs::read(&path).ok();
    fs::write(&path, content).expect("written");
    if let Ok(run) = Run::open_small(record, RECORD_BYTES_MAX) {
        let _ = (run.warm_ups(), run.subjects());
        if let Ok(result) = proofload_report::of_run(&run) {
            let _ = (proofload_report::json(&result), proofload_report::markdown(&result));
            let slices: Vec<_> = run.blocks().iter().flat_map(|block| &block.slices).collect();
            let _ = proofload_report::html(&result, &slices);
        }
    }
    match before {
        Some(before) => fs::write(&path, before).expect("written"),
        None => fs::remove_file(&path).expect("removed"),
    }
}

/// An archive stays in its folder, whatever it says.
pub fn tar(input: &[u8]) {
    let outer = folder("tar");
    let inner = outer.join("in");
    fs::create_dir_all(&inner).expect("a folder");
    fs::write(outer.join("beside"), "mine").expect("written");
    let _ = proofload_subject::unpack(input, Path::new("archive"), &inner);
    let mut beside: Vec<_> =
        fs::read_dir(&outer).expect("there").map(|entry| entry.expect("read").file_name()).collect();
    beside.sort();
    assert_eq!(beside, ["beside", "in"]);
    assert_eq!(fs::read(outer.join("beside")).expect("there"), b"mine");
    stays_within(&inner, &fs::canonicalize(&inner).expect("there"));
    fs::remove_dir_all(&outer).expect("removed");
}

fn stays_within(folder: &Path, root: &Path) {
    for entry in fs::read_dir(folder).expect("there").map(|entry| entry.expect("read")) {
        let (path, kind) = (entry.path(), entry.file_type().expect("a kind"));
        assert!(kind.is_dir() || kind.is_file() || kind.is_symlink(), "{}", path.display());
        if let Ok(leads) = fs::canonicalize(&path) {
            assert!(leads.starts_with(root), "{} leads to {}", path.display(), leads.display());
        }
        if kind.is_symlink() {
            continue;
        }
        let mode = entry.metadata().expect("there").permissions().mode();
        assert_eq!(mode & 0o7022, 0, "{} has the mode {mode:o}", path.display());
        if kind.is_dir() {
            stays_within(&path, root);
        }
    }
}

/// Has a fault behind a word that chance does not find; what leads there must.
pub fn canary(input: &[u8]) {
    let mut right = input.iter().zip(b"fault").take_while(|(found, wanted)| found == wanted).count();
    right += usize::from(right == 5 && input.len() == 7);
    assert!(right < 6, "what was planted");
}
