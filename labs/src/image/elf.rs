//! Headers of an executable: its processor, and its need of a loader.

use anyhow::{Context, bail};

/// Kind of the program header that names a loader.
const PT_INTERP: u32 = 3;

/// The processor in the words of container images.
///
/// # Errors
/// If it is not a 64-bit executable of Linux for a processor known here.
pub fn architecture(binary: &[u8]) -> anyhow::Result<&'static str> {
    if !binary.starts_with(b"\x7fELF\x02\x01") {
        bail!("not a 64-bit, little-endian ELF executable");
    }
    match u16::from_le_bytes(field(binary, 0x12)?) {
        62 => Ok("amd64"),
        183 => Ok("arm64"),
        other => bail!("a processor that is not known here: {other}; x86-64 and AArch64 are"),
    }
}

/// True if it needs a loader, which an image with nothing else in it does not have.
///
/// # Errors
/// If it is cut off.
pub fn needs_loader(binary: &[u8]) -> anyhow::Result<bool> {
    let headers = usize::try_from(u64::from_le_bytes(field(binary, 0x20)?))?;
    let (size, count) = (u16::from_le_bytes(field(binary, 0x36)?), u16::from_le_bytes(field(binary, 0x38)?));
    for at in 0..usize::from(count) {
        let header = headers.checked_add(at * usize::from(size)).context("program headers end")?;
        if u32::from_le_bytes(field(binary, header)?) == PT_INTERP {
            return Ok(true);
        }
    }
    Ok(false)
}

fn field<const N: usize>(binary: &[u8], at: usize) -> anyhow::Result<[u8; N]> {
    let bytes = at.checked_add(N).and_then(|end| binary.get(at..end));
    bytes.and_then(|bytes| bytes.try_into().ok()).context("the executable is cut off")
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// The head of an executable with one program header of that kind.
    pub fn executable(machine: u16, header: u32) -> Vec<u8> {
        let mut binary = vec![0; 0x80];
        binary[..6].copy_from_slice(b"\x7fELF\x02\x01");
        binary[0x12..0x14].copy_from_slice(&machine.to_le_bytes());
        binary[0x20] = 0x40;
        binary[0x36] = 0x38;
        binary[0x38] = 1;
        binary[0x40..0x44].copy_from_slice(&header.to_le_bytes());
        binary
    }

    #[test]
    fn a_static_executable_tells_its_processor() {
        assert_eq!(architecture(&executable(62, 1)).expect("x86-64"), "amd64");
        assert!(!needs_loader(&executable(62, 1)).expect("a program header"));
        assert_eq!(architecture(&executable(183, 1)).expect("AArch64"), "arm64");
    }

    #[test]
    fn what_cannot_run_in_the_image_is_refused() {
        for (binary, part) in [(executable(243, 1), "243"), (b"#!/bin/sh".to_vec(), "ELF")] {
            let refused = architecture(&binary).expect_err(part).to_string();
            assert!(refused.contains(part), "{refused}");
        }
        let refused = needs_loader(&executable(62, 1)[..0x42]).expect_err("half a header").to_string();
        assert!(refused.contains("cut off"), "{refused}");
        assert!(needs_loader(&executable(62, PT_INTERP)).expect("a program header"));
        let own = std::fs::read(std::env::current_exe().expect("a test")).expect("its bytes");
        assert!(needs_loader(&own).expect("an executable"), "tests are linked dynamically");
    }
}
