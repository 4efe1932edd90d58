//! Lists the files of the catalogue, which is embedded in the executable: a folder that is added needs no line of Rust.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let manifest = env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?;
    let root = Path::new(&manifest).join("../../subjects").canonicalize()?;
    let mut files = Vec::new();
    walk(&root, &mut files)?;
    let name = |file: &PathBuf| file.strip_prefix(&root).unwrap_or(file).to_string_lossy().into_owned();
    files.sort_by_key(name);
    let mut list = String::from("&[\n");
    for file in &files {
        let _ = writeln!(list, "    ({:?}, include_bytes!({file:?})),", name(file));
    }
    list.push_str("]\n");
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    fs::write(Path::new(&out).join("catalogue.rs"), list)
}

fn walk(at: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    // A file that is added changes nothing but its folder.
    println!("cargo::rerun-if-changed={}", at.display());
    for entry in fs::read_dir(at)? {
        let path = entry?.path();
        if path.is_dir() {
            walk(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
