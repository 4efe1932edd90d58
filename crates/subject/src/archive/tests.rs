//! Archives as an attacker would write them.

use super::*;
use std::os::unix::fs::symlink;

/// A member of an archive that a test writes.
enum Member {
    File(&'static str, &'static [u8]),
    Mode(&'static str, u32),
    Folder(&'static str),
    Link(&'static str, &'static str),
    Hard(&'static str, &'static str),
    Fifo(&'static str),
}
use Member::{Fifo, File as Plain, Folder as Directory, Hard, Link, Mode};

/// A tar whose names and links are written byte for byte, as no honest writer would.
fn tar_of(members: &[Member]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for member in members {
        let mut header = tar::Header::new_ustar();
        let (name, link, kind, content, mode): (_, _, _, &[u8], _) = match *member {
            Plain(name, content) => (name, "", tar::EntryType::Regular, content, 0o644),
            Mode(name, mode) => (name, "", tar::EntryType::Regular, b"x", mode),
            Directory(name) => (name, "", tar::EntryType::Directory, b"", 0o755),
            Link(name, to) => (name, to, tar::EntryType::Symlink, b"", 0o777),
            Hard(name, to) => (name, to, tar::EntryType::Link, b"", 0o644),
            Fifo(name) => (name, "", tar::EntryType::Fifo, b"", 0o644),
        };
        let raw = header.as_mut_bytes();
        raw[..name.len()].copy_from_slice(name.as_bytes());
        raw[157..157 + link.len()].copy_from_slice(link.as_bytes());
        header.set_entry_type(kind);
        header.set_mode(mode);
        header.set_size(content.len() as u64);
        header.set_cksum();
        builder.append(&header, content).expect("memory");
    }
    builder.into_inner().expect("memory")
}

fn zip_of(members: &[Member]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    for member in members {
        match *member {
            Plain(name, content) => {
                writer.start_file(name, options).expect("memory");
                writer.write_all(content).expect("memory");
            }
            Mode(name, mode) => {
                writer.start_file(name, options.unix_permissions(mode)).expect("memory");
            }
            Directory(name) => writer.add_directory(name, options).expect("memory"),
            Link(name, to) => writer.add_symlink(name, to, options).expect("memory"),
            Hard(..) | Fifo(_) => unreachable!("a zip has none"),
        }
    }
    writer.finish().expect("memory").into_inner()
}

/// Unpacks into a folder beside which nothing else may appear.
fn unpacked(bytes: &[u8], zip: bool, limits: Limits) -> (tempfile::TempDir, Result<(), SubjectError>) {
    let outer = tempfile::tempdir().expect("a directory");
    let (archive, root) = (outer.path().join("archive"), outer.path().join("root"));
    fs::write(&archive, bytes).expect("written");
    fs::create_dir(&root).expect("made");
    let done = if zip { unpack_zip(&archive, &root, limits) } else { unpack_tar(&archive, &root, limits) };
    let mut beside: Vec<_> =
        fs::read_dir(outer.path()).expect("listed").map(|entry| entry.expect("read").file_name()).collect();
    beside.sort();
    assert_eq!(beside, ["archive", "root"], "something was written outside");
    (outer, done)
}

fn refusal(members: &[Member], zip: bool) -> String {
    let bytes = if zip { zip_of(members) } else { tar_of(members) };
    unpacked(&bytes, zip, LIMITS).1.expect_err("it must be refused").to_string()
}

#[test]
fn what_an_honest_archive_holds_is_unpacked() {
    let members = [
        Directory("./"),
        Directory("./usr/"),
        Plain("./usr/bin/server", b"program"),
        Link("./usr/bin/again", "server"),
        Link("./usr/lib", "../usr/bin"),
        Link("./usr/bin/absolute", "/usr/bin/server"),
        Hard("./usr/copy", "./usr/bin/server"),
    ];
    let (outer, done) = unpacked(&tar_of(&members), false, LIMITS);
    done.expect("unpacked");
    let root = outer.path().join("root/usr");
    for name in ["bin/server", "bin/again", "lib/server", "bin/absolute", "copy"] {
        assert_eq!(fs::read(root.join(name)).expect(name), b"program", "{name}");
    }
    assert_eq!(fs::read_link(root.join("bin/absolute")).expect("a link"), Path::new("../../usr/bin/server"));
}

#[test]
fn a_zip_is_unpacked_with_its_modes_but_no_set_user_id() {
    let (outer, done) = unpacked(&zip_of(&[Plain("a/b.txt", b"text"), Mode("a/run", 0o755)]), true, LIMITS);
    done.expect("unpacked");
    assert_eq!(fs::read(outer.path().join("root/a/b.txt")).expect("there"), b"text");
    let mode =
        |path: &str| fs::metadata(outer.path().join(path)).expect("there").permissions().mode() & 0o7777;
    assert_eq!(mode("root/a/run"), 0o755);
    let (outer, done) = unpacked(&tar_of(&[Mode("su", 0o6777)]), false, LIMITS);
    done.expect("unpacked");
    let mode = fs::metadata(outer.path().join("root/su")).expect("there").permissions().mode();
    assert_eq!(mode & 0o7777, 0o755);
}

#[test]
fn names_that_lead_out_are_refused_in_both_kinds() {
    let cases = [
        ("../out", "leads upward"),
        ("a/../../out", "leads upward"),
        ("/out", "absolute"),
        ("a\\..\\out", "0x5c"),
        ("a\nb", "0x0a"),
    ];
    for (name, why) in cases {
        for zip in [false, true] {
            let said = refusal(&[Plain(name, b"x")], zip);
            assert!(said.contains(why) && said.contains("archive"), "{name}: {said}");
        }
    }
}

#[test]
fn links_that_lead_out_are_refused_in_both_kinds() {
    let cases = [
        (vec![Link("l", "..")], "leads out"),
        (vec![Link("a/l", "../../etc")], "leads out"),
        (vec![Link("l", "/../etc")], "leads out"),
        // `x` is the root itself, so `x/..` is outside although it does not look like it.
        (vec![Link("x", "."), Link("y", "x/..")], "down and up"),
        (vec![Link("l", "a"), Plain("l/f", b"x")], "symbolic link"),
        (vec![Link("l", "a"), Directory("l/")], "no folder"),
    ];
    for (members, why) in cases {
        for zip in [false, true] {
            let said = refusal(&members, zip);
            assert!(said.contains(why), "{said}");
        }
    }
}

#[test]
fn no_member_takes_the_place_of_another() {
    // The writer of zips refuses to write these.
    for members in [[Link("l", "a"), Plain("l", b"x")], [Plain("f", b"x"), Link("f", "a")]] {
        assert!(refusal(&members, false).contains("already"));
    }
}

#[test]
fn a_link_that_was_there_before_is_not_written_through() {
    let outer = tempfile::tempdir().expect("a directory");
    let (root, elsewhere) = (outer.path().join("root"), outer.path().join("elsewhere"));
    fs::create_dir(&root).expect("made");
    fs::create_dir(&elsewhere).expect("made");
    symlink(&elsewhere, root.join("l")).expect("linked");
    symlink(elsewhere.join("g"), root.join("g")).expect("linked");
    for name in ["l/f", "g"] {
        let archive = outer.path().join("archive");
        fs::write(&archive, tar_of(&[Plain(name, b"x")])).expect("written");
        unpack_tar(&archive, &root, LIMITS).expect_err(name);
    }
    assert_eq!(fs::read_dir(&elsewhere).expect("listed").count(), 0);
}

#[test]
fn devices_and_links_to_what_is_not_there_are_refused() {
    assert!(refusal(&[Fifo("pipe")], false).contains("neither file"));
    assert!(refusal(&[Hard("h", "/etc/passwd")], false).contains("absolute"));
    assert!(refusal(&[Hard("h", "nothing")], false).contains("no file before it"));
    assert!(refusal(&[Link("l", "a"), Hard("h", "l")], false).contains("no file before it"));
}

#[test]
fn an_archive_that_grows_beyond_its_limits_is_refused() {
    let bomb = vec![0_u8; 1 << 20];
    let mut writer = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
    writer.start_file("zeros", zip::write::SimpleFileOptions::default()).expect("memory");
    writer.write_all(&bomb).expect("memory");
    let bytes = writer.finish().expect("memory").into_inner();
    assert!(bytes.len() < 8 << 10, "{} bytes", bytes.len());
    let tight = Limits { bytes: 64 << 10, ..LIMITS };
    let said = unpacked(&bytes, true, tight).1.expect_err("too large").to_string();
    assert!(said.contains("more than 65536 bytes"), "{said}");
    let many = tar_of(&[Plain("a", b""), Plain("b", b""), Plain("c", b"")]);
    let said = unpacked(&many, false, Limits { members: 2, ..LIMITS }).1.expect_err("too many").to_string();
    assert!(said.contains("more than 2 members"), "{said}");
}

#[test]
fn what_is_no_archive_is_an_error_and_not_a_panic() {
    for bytes in [b"".as_slice(), b"PK\x03\x04", &[0xff; 700], &[0x41; 512]] {
        let (_kept, done) = unpacked(bytes, true, LIMITS);
        done.expect_err("no zip");
        let (_kept, _done) = unpacked(bytes, false, LIMITS);
    }
}
