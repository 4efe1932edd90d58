//! Packs the script of the charts, which is a third as large then.

use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::io::Write;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    const SCRIPT: &str = "assets/report.js";
    println!("cargo::rerun-if-changed={SCRIPT}");
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&fs::read(SCRIPT)?)?;
    fs::write(Path::new(&out).join("report.js.zlib"), packed.finish()?)
}
