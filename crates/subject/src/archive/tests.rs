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

/// A record as another machine would send it, with one error.
fn record_of(members: &[Member]) -> Vec<u8> {
    let good = [Directory("lab"), Directory("lab/NEW/"), Plain("lab/NEW/plan.json", b"{}")];
    let mut bytes = tar_of(&good);
    // The end of an archive.
    bytes.truncate(bytes.len() - 1024);
    bytes.extend(tar_of(members));
    bytes
}

/// Result of unpacking, in a folder beside which nothing else may appear.
fn arrived(bytes: &[u8]) -> (tempfile::TempDir, Result<String, SubjectError>) {
    let outer = tempfile::tempdir().expect("a directory");
    let into = outer.path().join("record");
    fs::create_dir(&into).expect("made");
    let done = unpack_record(bytes, Path::new("the record"), &into, "lab");
    assert_eq!(fs::read_dir(outer.path()).expect("listed").count(), 1, "something was written outside");
    (outer, done)
}

#[test]
fn a_record_arrives_as_its_owners_alone() {
    let members = [
        Mode("lab/NEW/tool", 0o6777),
        Plain("./lab/NEW/logs/a", b"x"),
        Directory("lab/NEW/blocks"),
        Mode("lab/NEW/blocks/1", 0),
    ];
    let (outer, done) = arrived(&record_of(&members));
    assert_eq!(done.expect("a record"), "NEW");
    let mode =
        |path: &str| fs::metadata(outer.path().join("record").join(path)).expect(path).permissions().mode();
    for file in ["plan.json", "tool", "logs/a", "blocks/1"] {
        assert_eq!(mode(file) & 0o7777, 0o600, "{file}");
    }
    for folder in ["logs", "blocks"] {
        assert_eq!(mode(folder) & 0o7777, 0o700, "{folder}");
    }
}

#[test]
fn a_record_that_was_tampered_with_is_refused_whatever_is_wrong_with_it() {
    let rows: [(&[Member], &str); 15] = [
        (&[Plain("/tmp/x", b"x")], "absolute"),
        (&[Plain("lab/NEW/../../x", b"x")], "upward"),
        (&[Plain("../x", b"x")], "upward"),
        (&[Plain("other/OLD/plan.json", b"{}")], "not below lab"),
        (&[Plain("lab/OLD/plan.json", b"{}")], "another record"),
        (&[Plain("plan.json", b"{}")], "not below lab"),
        (&[Plain("lab/file", b"x")], "another record"),
        (&[Plain("lab/NEW", b"x")], "name of the folder"),
        (&[Link("lab/latest", "NEW")], "link"),
        (&[Link("lab/NEW/l", "plan.json")], "link"),
        (&[Hard("lab/NEW/h", "lab/NEW/plan.json")], "link"),
        (&[Hard("lab/NEW/h", "/etc/passwd")], "link"),
        (&[Fifo("lab/NEW/pipe")], "neither file"),
        (&[Plain("lab/NEW/plan.json", b"{}")], "already"),
        (&[Plain("lab/NEW/a", b"x"), Plain("lab/NEW/a/b", b"x")], ""),
    ];
    for (members, why) in rows {
        let (_outer, done) = arrived(&record_of(members));
        let said = done.expect_err(why).to_string();
        assert!(said.contains(why), "{why}: {said}");
    }
    for kind in
        [tar::EntryType::Char, tar::EntryType::Block, tar::EntryType::GNUSparse, tar::EntryType::new(b'Z')]
    {
        let mut bytes = tar_of(&[Fifo("lab/NEW/x")]);
        change_head(&mut bytes, |head| head.set_entry_type(kind));
        arrived(&bytes).1.expect_err("no device and nothing odd");
    }
    arrived(&tar_of(&[Directory("lab")])).1.expect_err("no record");
    arrived(b"").1.expect_err("nothing");
}

fn change_head(bytes: &mut [u8], change: impl FnOnce(&mut tar::Header)) {
    let mut head = tar::Header::from_byte_slice(&bytes[..512]).clone();
    change(&mut head);
    head.set_cksum();
    bytes[..512].copy_from_slice(head.as_bytes());
}

/// Zeros without end, behind some bytes; it counts them.
struct Endless<'a>(&'a [u8], u64);

impl Read for Endless<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.1 += into.len() as u64;
        match self.0.read(into)? {
            0 => into.fill(0),
            read => return Ok(read),
        }
        Ok(into.len())
    }
}

#[test]
fn sizes_that_are_not_true_end_early_and_fill_no_memory() {
    // A file that never ends, headers that never end, and members whose type has no content but whose size is not 0.
    let long = [tar::EntryType::GNULongName, tar::EntryType::GNULongLink, tar::EntryType::XHeader];
    let empty = [tar::EntryType::Directory, tar::EntryType::XGlobalHeader];
    for kind in long.into_iter().chain(empty) {
        let mut bytes = tar_of(&[Plain("lab/NEW/x", b"")]);
        change_head(&mut bytes, |head| {
            head.set_entry_type(kind);
            head.set_size(1 << 40);
        });
        let mut endless = Endless(&bytes[..512], 0);
        let into = tempfile::tempdir().expect("a directory");
        let said = unpack_record(&mut endless, Path::new("r"), into.path(), "lab").expect_err("refused");
        assert!(said.to_string().contains("head of more than") && endless.1 < 1 << 20, "{kind:?} {said}");
    }
    let mut bytes = tar_of(&[Plain("lab/NEW/x", b"")]);
    change_head(&mut bytes, |head| head.set_size(1 << 40));
    let said = arrived(&bytes[..512]).1.expect_err("it ends").to_string();
    assert!(said.contains("ends within a file"), "{said}");
    let (outer, limits) = (tempfile::tempdir().expect("a directory"), Limits { bytes: 100_000, ..LIMITS });
    let record = Some(Record { study: "lab", id: None });
    let mut folder = Folder { archive: Path::new("r"), root: outer.path(), left: limits, limits, record };
    let said = unpack_tar_from(Endless(&bytes[..512], 0), &mut folder).expect_err("too large").to_string();
    assert!(said.contains("more than 100000 bytes"), "{said}");
    // A record that is cut, at each of its bytes that matter.
    let whole = record_of(&[Plain("lab/NEW/long", &[b'x'; 3000])]);
    let content = whole.len() - 1024 - 3072;
    for cut in [content + 1, content + 512, content + 2999, content - 1, content - 511] {
        arrived(&whole[..cut]).1.expect_err("it is cut");
    }
}
