//! One cache, several processes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

use proofload_host::jdk;

use crate::actors::{PREPARER, cast};

/// A catalogue with a subject that is compiled and needs nothing else.
struct Yard {
    directory: tempfile::TempDir,
}

impl Yard {
    /// `None` without a JDK, which is printed.
    fn new() -> Option<Yard> {
        let Some(major) = jdk::find_all().iter().rfind(|jdk| jdk.has_compiler).map(|jdk| jdk.major) else {
            println!("  skipped, because no JDK is installed");
            return None;
        };
        let directory = tempfile::tempdir().unwrap();
        let subject = directory.path().join("subjects/small");
        fs::create_dir_all(&subject).unwrap();
        fs::create_dir(directory.path().join("runtime")).unwrap();
        fs::write(subject.join("Small.java"), "class Small { static final String A = \"old\"; }\n").unwrap();
        let yaml = format!(
            "description: small\nneeds: {{ jdk: \"{major}\" }}\nbuild: {{ javac: [Small.java], replace: {{ old: new }} }}\n\
             start: [[\"{{java}}\", -cp, \"{{class_path}}\", Small]]\nready: {{ within: 1s }}\n"
        );
        fs::write(subject.join("subject.yaml"), yaml).unwrap();
        Some(Yard { directory })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn prepare(&self) -> Child {
        let (catalogue, cache) = (self.path("subjects"), self.path("cache"));
        let args = [catalogue.to_str().unwrap(), cache.to_str().unwrap(), "small"];
        cast(PREPARER, &args, &self.path("runtime")).stderr(Stdio::inherit()).spawn().unwrap()
    }

    /// The files of all builds, by name; true if anything is left of one that was not finished.
    fn builds(&self) -> (Vec<String>, bool) {
        let mut found = Vec::new();
        for build in entries(&self.path("cache/builds")) {
            found.extend(
                entries(&build).iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()),
            );
        }
        found.sort();
        (found, self.path("cache/tmp").exists())
    }
}

fn entries(path: &Path) -> Vec<PathBuf> {
    fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

fn told(child: Child) -> String {
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
}

pub fn two_that_prepare_the_same_build_it_once() {
    let Some(yard) = Yard::new() else { return };
    let both = [yard.prepare(), yard.prepare()].map(told);
    let said =
        both.iter().filter(|told| told.as_str() == "said: compiling subject small\nprepared\n").count();
    let reused = both.iter().filter(|told| told.as_str() == "prepared\n").count();
    assert_eq!((said, reused), (1, 1), "{both:?}");
    assert_eq!(yard.builds(), (vec!["Small.class".to_string(), "digests".to_string()], false));
    let class = entries(&yard.path("cache/builds")).remove(0).join("Small.class");
    let class = String::from_utf8_lossy(&fs::read(class).unwrap()).into_owned();
    assert!(class.contains("new") && !class.contains("old"), "texts were replaced before it was compiled");
}

pub fn a_killed_builder_leaves_nothing_half_made() {
    let Some(yard) = Yard::new() else { return };
    for pause_ms in [20, 60, 150, 300, 500] {
        let mut builder = yard.prepare();
        std::thread::sleep(Duration::from_millis(pause_ms));
        builder.kill().unwrap();
        builder.wait().unwrap();
        let (files, _) = yard.builds();
        assert!(files.is_empty() || files == ["Small.class", "digests"], "after {pause_ms} ms: {files:?}");
    }
    assert!(told(yard.prepare()).ends_with("prepared\n"));
    assert_eq!(yard.builds(), (vec!["Small.class".to_string(), "digests".to_string()], false));
}
