//! In which language Proofload speaks, and what stays English.

use crate::support::{Reference, command, executable, proofload, text};
use proofload_language::Language;
use proofload_store::StoreError;
use std::path::{Path, PathBuf};
use std::process::Output;

fn has_chinese(text: &str) -> bool {
    text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c))
}

fn in_locale(args: &[&str], locale: &[(&str, &str)]) -> Output {
    let mut command = command(args);
    command.env_remove("LC_ALL").env_remove("LC_MESSAGES").env_remove("LANG");
    locale.iter().for_each(|(name, value)| {
        command.env(name, value);
    });
    command.output().expect("proofload runs")
}

/// One measurement on record, made in Chinese.
fn measured(server: &Reference, dir: &Path) -> (Output, PathBuf) {
    let runs = dir.to_str().expect("UTF-8");
    let asked =
        [&server.url(), "-n", "500", "-c", "4", "--fail", "p99 < 9s", "--dir", runs, "--lang", "zh-CN"];
    let output = proofload(&asked);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    (output, dir.join("runs/url/latest").canonicalize().expect("a record"))
}

#[test]
fn a_record_is_english_whoever_made_it_and_is_read_in_any_language() {
    let (server, dir) = (Reference::start(&[]), tempfile::tempdir().expect("a directory"));
    let (output, record) = measured(&server, dir.path());
    assert!(text(&output.stdout).contains("闭环"), "{}", text(&output.stdout));
    for file in std::fs::read_dir(&record).expect("files").filter_map(Result::ok) {
        let is_for_people = ["report.md", "report.html"].iter().any(|name| file.file_name() == *name);
        let kept = std::fs::read(file.path()).map(|bytes| text(&bytes)).unwrap_or_default();
        assert_eq!(has_chinese(&kept), is_for_people, "{}", file.path().display());
    }
    let record = record.to_str().expect("UTF-8");
    let drawn = |format: &str, lang: &str| {
        let output = proofload(&["report", record, "--format", format, "--lang", lang]);
        text(&output.stdout)
    };
    assert!(!has_chinese(&drawn("text", "en")) && has_chinese(&drawn("text", "zh-CN")));
    assert!(drawn("html", "zh-CN").contains("<html lang=\"zh-CN\">"));
    assert!(drawn("html", "en").contains("<html lang=\"en\">"));
    for format in ["json", "csv", "hlog"] {
        assert_eq!(drawn(format, "zh-CN"), drawn(format, "en"), "{format}");
    }
}

#[test]
fn the_locale_chooses_unless_an_option_does() {
    let says = |args: &[&str], locale: &[(&str, &str)]| {
        has_chinese(&text(&in_locale(&[&["history", "--dir", "/nonexistent"], args].concat(), locale).stdout))
    };
    assert!(says(&[], &[("LANG", "zh_CN.UTF-8")]));
    assert!(says(&["--lang", "zh-CN"], &[("LC_ALL", "C")]));
    assert!(!says(&["--lang", "en"], &[("LANG", "zh_CN.UTF-8")]));
    assert!(!says(&[], &[("LANG", "zh_CN.UTF-8"), ("LC_ALL", "C")]));
    assert!(!says(&[], &[]));
}

#[test]
fn the_option_may_stand_before_the_verb_or_behind_it() {
    let dir = tempfile::tempdir().expect("a directory");
    let place = ["--dir", dir.path().to_str().expect("UTF-8")];
    let says = |args: &[&str]| {
        let output = in_locale(args, &[]);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", text(&output.stderr));
        text(&output.stdout)
    };
    let behind = says(&["history", "--lang", "zh-CN", place[0], place[1]]);
    assert!(has_chinese(&behind));
    for before in [&["--lang", "zh-CN"][..], &["--lang=zh-CN"]] {
        assert_eq!(says(&[before, &["history"], &place].concat()), behind, "{before:?}");
    }
    let listed = says(&["subjects", "list", "--lang", "zh-CN"]);
    for verbs in [&["--lang", "zh-CN", "subjects", "list"][..], &["subjects", "--lang", "zh-CN", "list"]] {
        assert_eq!(says(verbs), listed, "{verbs:?}");
    }
}

#[test]
fn what_stands_before_a_verb_and_is_no_option_of_all_is_refused() {
    for (args, says) in [
        (&["--lang", "xx", "history"][..], "zh-CN"),
        (&["--lang", "zh-CN", "history", "--lang", "en"], "cannot be used multiple times"),
        (&["--lang", "zh-CN", "-c", "4", "history"], "history 不是地址"),
        (&["--lang", "zh-CN", "hsitory"], "did you mean history?"),
        (&["--lang=zh-CN", "study.yaml"], "`proofload run study.yaml`"),
    ] {
        let output = proofload(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains(says), "{args:?}: {}", text(&output.stderr));
    }
}

#[test]
fn mistakes_of_studies_and_flags_are_told_in_the_language_that_is_asked_for() {
    let directory = tempfile::tempdir().expect("a directory");
    let study = directory.path().join("wrong.yaml");
    let wrong = "study: s\nquestion: Which?\nsubjects: { a: { use: referenc } }\nworkload: { page: { get: / } }\n\
                 load: { open: { rate: 5000/day } }\nclaims:\n  - one: latency(a) < latency(b)\n";
    std::fs::write(&study, wrong).expect("written");
    let output = proofload(&["--lang", "zh-CN", "run", study.to_str().expect("text"), "--explain"]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    // A load that cannot be read hides no mistake in a claim, and each is reported once.
    for part in ["是否想写 reference？", "5000/day 不是速率", "没有名为 latency 的度量"] {
        assert_eq!(said.matches(part).count(), 1, "{part}: {said}");
    }
    let output = proofload(&["--lang", "zh-CN", "http://127.0.0.1:1/", "-c", "0"]);
    assert!(text(&output.stderr).contains("-c：0 不符合要求"), "{}", text(&output.stderr));
}

#[test]
fn an_unknown_language_is_told_with_those_there_are() {
    let output = proofload(&["history", "--lang", "xx"]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(said.contains("en") && said.contains("zh-CN"), "{said}");
}

#[test]
fn errors_are_told_in_the_language_that_is_spoken() {
    let dir = tempfile::tempdir().expect("a directory");
    let record = dir.path().join("record");
    std::fs::create_dir(&record).expect("a folder");
    let said = |args: &[&str]| {
        let output = proofload(&[args, &["--lang", "zh-CN"]].concat());
        assert_ne!(output.status.code(), Some(0), "{args:?}");
        text(&output.stderr)
    };
    let report = ["report", record.to_str().expect("UTF-8")];
    let missing = said(&["reference-server", "--service", "const:2"]);
    assert!(missing.contains("缺少单位"), "{missing}");
    let nothing = said(&report);
    assert!(nothing.contains("不是运行记录"), "{nothing}");
    std::fs::write(record.join("plan.json"), "{").expect("a file");
    let damaged = said(&report);
    assert!(damaged.contains("已损坏"), "{damaged}");
    let full = StoreError::Full { what: "append", path: "/x".into(), source: std::io::Error::other("full") };
    assert!(Language::Chinese.within(|| full.to_string()).contains("无法追加写入 /x：磁盘已满"), "{full}");
}

#[test]
fn a_server_that_fails_is_told_in_chinese_and_recorded_in_english() {
    let dir = tempfile::tempdir().expect("a directory");
    let study = dir.path().join("study.yaml");
    let text_of_it = "study: s\nquestion: Which?\nsubjects: { a: { command: [/bin/sh, -c, exit 3, '{port}'] }, \
        b: { use: reference } }\nworkload: { page: { get: / } }\nload: { closed: { connections: 4 } }\nclaims: [ \
        more: throughput(a) > throughput(b) ]\n";
    std::fs::write(&study, text_of_it).expect("a study");
    let runs = dir.path().to_str().expect("UTF-8");
    let args = ["run", study.to_str().expect("UTF-8"), "--smoke", "--dir", runs];
    let output = executable(&[&args[..], &["--lang", "zh-CN"]].concat()).output().expect("proofload runs");
    let said = text(&output.stderr);
    assert!(said.contains("被测服务 a 在就绪之前就结束了"), "{said}");
    let latest = dir.path().join("runs/s/latest");
    let result = std::fs::read_to_string(latest.join("result.json")).unwrap_or(said);
    assert!(result.contains("subject-died-at-start") && !has_chinese(&result), "{result}");
}
