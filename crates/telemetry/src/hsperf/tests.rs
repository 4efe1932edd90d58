use super::*;
use proptest::prelude::*;
use rustix::process::getuid;
use std::io::Write;

const SERIAL_17: &[u8] = include_bytes!("../../testdata/hsperf/jdk17-serial.hsperf");
const G1_17: &[u8] = include_bytes!("../../testdata/hsperf/jdk17-g1.hsperf");
const G1_25: &[u8] = include_bytes!("../../testdata/hsperf/jdk25-g1.hsperf");
const Z_25: &[u8] = include_bytes!("../../testdata/hsperf/jdk25-z.hsperf");
const PARALLEL_17: &[u8] = include_bytes!("../../testdata/hsperf/jdk17-parallel.hsperf");
const Z_17: &[u8] = include_bytes!("../../testdata/hsperf/jdk17-z.hsperf");
const SERIAL_25: &[u8] = include_bytes!("../../testdata/hsperf/jdk25-serial.hsperf");
const PARALLEL_25: &[u8] = include_bytes!("../../testdata/hsperf/jdk25-parallel.hsperf");
const ALL: [&[u8]; 8] = [SERIAL_17, PARALLEL_17, G1_17, Z_17, SERIAL_25, PARALLEL_25, G1_25, Z_25];

fn opened(bytes: &[u8]) -> (tempfile::NamedTempFile, Option<JvmFile>) {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    let jvm = JvmFile::open(file.path(), getuid().as_raw());
    (file, jvm)
}

#[test]
fn every_collectors_pauses_are_summed_by_name() {
    let expected = [
        (SERIAL_17, 105_676_885, 8_570_645 + 999_472, 23 + 1),
        (G1_17, 81_229_966, 9_687_755 + 6_264_243, 11 + 1),
        (G1_25, 66_688_669, 127_756_245 + 3_655_648, 11 + 1),
        // Generational ZGC has collectors 0 and 2.
        (Z_25, 82_771_205, 426_862 + 310_597, 42 + 28),
    ];
    for (bytes, jit_ns, gc_ns, gc_count) in expected {
        let (_file, jvm) = opened(bytes);
        let read = jvm.unwrap().read().unwrap();
        assert_eq!((read.jit_ns, read.gc_ns, read.gc_count), (Some(jit_ns), Some(gc_ns), Some(gc_count)));
    }
}

#[test]
fn each_collector_is_told_by_its_name() {
    type Collectors<'a> = &'a [(&'a str, u64)];
    let expected: [(&[u8], Collectors<'_>); 8] = [
        (SERIAL_17, &[("Serial young collection pauses", 23), ("Serial full collection pauses", 1)]),
        (PARALLEL_17, &[("Parallel young collection pauses", 32), ("Parallel full collection pauses", 1)]),
        (
            G1_17,
            &[
                ("G1 young collection pauses", 11),
                ("G1 full collection pauses", 1),
                ("G1 concurrent cycle pauses", 0),
            ],
        ),
        (Z_17, &[("Z concurrent cycle pauses", 45)]),
        (SERIAL_25, &[("Serial young collection pauses", 24), ("Serial full collection pauses", 1)]),
        (PARALLEL_25, &[("Parallel young collection pauses", 32), ("Parallel full collection pauses", 1)]),
        (
            G1_25,
            &[
                ("G1 young collection pauses", 11),
                ("G1 full collection pauses", 1),
                ("G1 concurrent cycle pauses", 0),
            ],
        ),
        (Z_25, &[("ZGC minor collection pauses", 42), ("ZGC major collection pauses", 28)]),
    ];
    for (bytes, collectors) in expected {
        let read = opened(bytes).1.unwrap().read().unwrap();
        let found: Vec<(&str, u64)> =
            read.collectors.iter().map(|collector| (collector.name.as_str(), collector.count)).collect();
        assert_eq!(found, collectors);
        assert_eq!(read.gc_ns, Some(read.collectors.iter().map(|collector| collector.pause_ns).sum()));
    }
}

#[test]
fn full_collections_are_those_of_the_collector_that_counts_them_and_not_known_without_one() {
    let expected = [
        (SERIAL_17, Some(1)),
        (PARALLEL_17, Some(1)),
        (G1_17, Some(1)),
        (Z_17, None),
        (SERIAL_25, Some(1)),
        (PARALLEL_25, Some(1)),
        (G1_25, Some(1)),
        (Z_25, None),
    ];
    for (bytes, full) in expected {
        assert_eq!(opened(bytes).1.unwrap().read().unwrap().full_gc_count, full);
    }
}

#[test]
fn each_releases_name_of_a_full_collection_is_known_and_phases_are_none() {
    let of = |collector: &str| {
        let text = ("sun.gc.collector.1.name".to_string(), collector.to_string());
        let counter = Counter { name: "sun.gc.collector.1.invocations".into(), at: 8, value: 0 };
        let counters =
            Counters { list: vec![counter], texts: vec![text], complete: true, order: Order::Little };
        Offsets::find(&counters).read(|at| at as u64).full_gc_count
    };
    // JDK 17 and later; JDK 8 and 11.
    let full = [
        "Serial full collection pauses",
        "Parallel full collection pauses",
        "G1 full collection pauses",
        "MSC",
        "PSParallelCompact",
        "PSMarkSweep",
        "G1 stop-the-world full collections",
    ];
    for name in full {
        assert_eq!(of(name), Some(8), "{name}");
    }
    for name in ["ZGC major collection pauses", "Shenandoah full", "Shenandoah full GC pauses", "CMS", "Copy"]
    {
        assert_eq!(of(name), None, "{name}");
    }
}

#[test]
fn heap_and_old_generation_are_found_whatever_the_collector_calls_its_spaces() {
    let expected = [
        (SERIAL_17, 534_336 + 668_648, Some(668_648), 22_347_776 + 44_761_088),
        (PARALLEL_17, 351_752 + 3_173_864, Some(3_173_864), 22_020_096 + 45_088_768),
        (G1_17, 1_270_904, Some(1_270_904), 4_194_312 + 6_291_480),
        // Without generations none is the old one, although the file calls it so.
        (Z_17, 4_194_304, None, 67_108_864),
        (SERIAL_25, 5_812_536, Some(5_812_536), 22_347_776 + 44_761_088),
        (PARALLEL_25, 3_623_048, Some(3_623_048), 22_020_096 + 45_088_768),
        (G1_25, 1_483_072, Some(1_483_072), 4_194_304 + 6_291_456),
        (Z_25, 4_194_304, Some(4_194_304), 62_914_560 + 4_194_304),
    ];
    for (bytes, heap, old, capacity) in expected {
        let read = opened(bytes).1.unwrap().read().unwrap();
        let found = (read.heap_used_bytes, read.old_used_bytes, read.heap_capacity_bytes);
        assert_eq!(found, (Some(heap), old, Some(capacity)));
    }
}

#[test]
fn what_a_release_does_not_count_is_not_known() {
    let of = |bytes| opened(bytes).1.unwrap().read().unwrap();
    assert_eq!((of(G1_17).contended_locks, of(G1_25).contended_locks), (Some(0), None));
    let (old, new) = (of(PARALLEL_17), of(PARALLEL_25));
    assert_eq!((old.safepoints, old.safepoint_ns), (Some(32), Some(116_230_127)));
    assert_eq!((old.loaded_classes, new.loaded_classes), (Some(1568 + 811), Some(1592 + 1059)));
    assert_eq!((new.threads, new.threads_peak, new.threads_daemon), (Some(6), Some(6), Some(5)));
}

#[test]
fn contended_locks_are_those_of_the_jvm_and_else_those_that_were_counted_within_it() {
    let of = |names: &[&str]| {
        let counter = |(n, name): (usize, &&str)| Counter { name: name.to_string(), at: 8 * n, value: 0 };
        let list = names.iter().enumerate().map(counter).collect();
        let counters = Counters { list, texts: Vec::new(), complete: true, order: Order::Little };
        Offsets::find(&counters).read(|at| at as u64).contended_locks
    };
    let (own, ours) = ("sun.rt._sync_ContendedLockAttempts", "proofload.contendedLocks");
    assert_eq!((of(&["java.threads.live", ours]), of(&["x", "y", ours, own])), (Some(8), Some(24)));
    assert_eq!(of(&["proofload.other"]), None);
}

#[test]
fn a_counter_that_grows_is_seen_without_looking_names_up_again() {
    let (mut file, jvm) = opened(G1_17);
    let mut jvm = jvm.unwrap();
    let at =
        parse(G1_17).unwrap().list.iter().find(|counter| counter.name == "java.ci.totalTime").unwrap().at;
    let mut bytes = G1_17.to_vec();
    bytes[at..at + 8].copy_from_slice(&90_000_000_i64.to_le_bytes());
    // As the JVM does: in place.
    rustix::fs::seek(file.as_file(), rustix::fs::SeekFrom::Start(0)).unwrap();
    file.write_all(&bytes).unwrap();
    let resolved = jvm.resolved;
    assert_eq!(jvm.read().unwrap().jit_ns, Some(90_000_000));
    assert_eq!(jvm.resolved, resolved);
}

#[test]
fn counters_that_are_added_later_are_found() {
    let whole = parse(G1_17).unwrap();
    let first = whole.list[0].at as u8;
    let mut young = G1_17.to_vec();
    // One entry only, as if the JVM had just begun.
    young[28..32].copy_from_slice(&1_i32.to_le_bytes());
    assert!(first > 0);
    let (mut file, jvm) = opened(&young);
    let mut jvm = jvm.unwrap();
    assert_eq!(jvm.read().unwrap(), JvmUse::default(), "not known is not zero");
    rustix::fs::seek(file.as_file(), rustix::fs::SeekFrom::Start(0)).unwrap();
    file.write_all(G1_17).unwrap();
    assert_eq!(jvm.read().unwrap().gc_count, Some(12));
}

#[test]
fn a_half_written_entry_hides_what_follows_until_the_next_look() {
    let mut bytes = G1_17.to_vec();
    let at = 32;
    let entry = bytes[at..at + 4].to_vec();
    bytes[at..at + 4].fill(0);
    let counters = parse(&bytes).unwrap();
    assert!(counters.list.is_empty() && !counters.complete);
    let (mut file, jvm) = opened(&bytes);
    let mut jvm = jvm.unwrap();
    assert_eq!(jvm.read().unwrap().jit_ns, None);
    bytes[at..at + 4].copy_from_slice(&entry);
    rustix::fs::seek(file.as_file(), rustix::fs::SeekFrom::Start(0)).unwrap();
    file.write_all(&bytes).unwrap();
    assert_eq!(jvm.read().unwrap().jit_ns, Some(81_229_966));
}

#[test]
fn a_jvm_that_is_not_ready_is_told_from_a_strange_file() {
    let mut bytes = G1_17.to_vec();
    bytes[7] = 0;
    assert_eq!(parse(&bytes), None);
    for (at, value) in [(0, 0), (4, 7), (5, 3), (11, 0x80)] {
        let mut bytes = G1_17.to_vec();
        bytes[at] = value;
        assert_eq!(parse(&bytes), None, "byte {at}");
    }
}

#[test]
fn the_other_byte_order_gives_the_same_counters() {
    let little = parse(Z_25).unwrap();
    let big = parse(&to_big_endian(Z_25)).unwrap();
    assert_eq!((little.list.clone(), true), (big.list, big.complete));
    assert!(little.list.len() > 50);
}

/// The same file from a big-endian machine: every number of header and entries turned round.
fn to_big_endian(bytes: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    let number = |at: usize| i32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    out[4] = 0;
    out[16..24].reverse();
    for at in [8, 12, 24, 28] {
        out[at..at + 4].reverse();
    }
    let mut at = number(24);
    for _ in 0..number(28) {
        let value_at = at + number(at + 16);
        if bytes[at + 12] == b'J' && number(at + 8) == 0 {
            out[value_at..value_at + 8].reverse();
        }
        for field in [0, 4, 8, 16] {
            out[at + field..at + field + 4].reverse();
        }
        at += number(at);
    }
    out
}

#[test]
fn ticks_become_nanoseconds_by_the_files_own_frequency() {
    let at =
        parse(G1_17).unwrap().list.iter().find(|counter| counter.name == "sun.os.hrt.frequency").unwrap().at;
    let mut bytes = G1_17.to_vec();
    bytes[at..at + 8].copy_from_slice(&1_000_000_i64.to_le_bytes());
    let (_file, jvm) = opened(&bytes);
    assert_eq!(jvm.unwrap().read().unwrap().jit_ns, Some(81_229_966_000));
}

#[test]
fn another_users_file_a_link_and_a_short_file_are_refused() {
    let (file, jvm) = opened(G1_17);
    jvm.unwrap();
    assert!(JvmFile::open(file.path(), getuid().as_raw() + 1).is_none());
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("1");
    std::os::unix::fs::symlink(file.path(), &link).unwrap();
    assert!(JvmFile::open(&link, getuid().as_raw()).is_none());
    assert!(JvmFile::open(folder.path(), getuid().as_raw()).is_none());
    assert!(opened(&G1_17[..20]).1.is_none());
}

#[test]
fn a_file_that_is_shortened_is_an_error_and_no_crash() {
    let (file, jvm) = opened(G1_17);
    let mut jvm = jvm.unwrap();
    file.as_file().set_len(100).unwrap();
    assert_eq!(jvm.read(), None);
    file.as_file().set_len(0).unwrap();
    assert_eq!(jvm.read(), None);
}

proptest! {
    #[test]
    fn no_damage_makes_the_parser_panic(
        which in 0_usize..4,
        length in 0_usize..12_000,
        changes in proptest::collection::vec((0_usize..12_000, any::<u8>()), 0..12),
        numbers in proptest::collection::vec(
            (0_usize..3000, prop_oneof![Just(i32::MAX), Just(i32::MIN), Just(-1), any::<i32>()]), 0..6
        ),
    ) {
        let mut bytes = ALL[which].to_vec();
        for (at, value) in changes {
            bytes[at] = value;
        }
        for (at, number) in numbers {
            bytes[at * 4..at * 4 + 4].copy_from_slice(&number.to_le_bytes());
        }
        bytes.truncate(if length < 6000 { bytes.len() } else { length });
        if let Some(counters) = parse(&bytes) {
            let offsets = Offsets::find(&counters);
            for counter in &counters.list {
                prop_assert!(counter.at + 8 <= bytes.len(), "{} lies in the file", counter.name);
            }
            let _ = offsets.to_ns(u64::MAX);
        }
    }
}
