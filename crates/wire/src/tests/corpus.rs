//! The inputs that are kept beside the fuzz targets.

/// Runs `check` on every file of a corpus that is kept beside the fuzz targets.
pub(crate) fn corpus(target: &str, check: fn(&[u8])) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(target);
    let files = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut seen = 0;
    for file in files {
        let path = file.expect("the folder can be listed").path();
        check(&std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())));
        seen += 1;
    }
    assert!(seen >= 10, "only {seen} files in {}", folder.display());
}
