//! Packs the schemas into one file, which has a sixth of their bytes: each name and each text, with a zero byte behind it.

use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::io::Write;
use std::path::Path;
use std::{env, fs, io};

/// Files of `schema/`, as listed in the error for an unknown name.
const NAMES: [&str; 17] = [
    "study",
    "result",
    "plan",
    "slice",
    "environment",
    "status",
    "subjects",
    "slicing",
    "warm-up",
    "ceiling",
    "network",
    "noise",
    "tune",
    "history",
    "diff",
    "sittings",
    "spreads",
];

fn main() -> io::Result<()> {
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
    for name in NAMES {
        let file = format!("../../schema/{name}.schema.json");
        println!("cargo::rerun-if-changed={file}");
        write!(packed, "{name}\0{}\0", fs::read_to_string(file)?)?;
    }
    fs::write(Path::new(&out).join("schemas.zlib"), packed.finish()?)
}
