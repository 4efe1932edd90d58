//! Studies that flags describe, and mistakes of flags.

use super::*;
use crate::args::{Cli, Verb};
use crate::{capacity, compare, measure};
use clap::Parser;
use proofload_language::facts::told;
use proofload_study::SubjectSpec;

/// The draft that a command line makes, its name left out.
fn drafted(words: &[&str]) -> Draft {
    let cli = Cli::try_parse_from([&["proofload"], words].concat()).expect("it is read");
    match cli.verb {
        None => measure::draft(&cli.measure),
        Some(Verb::Compare(args)) => compare::draft(&args),
        Some(Verb::Capacity(args)) => capacity::draft(&args),
        Some(_) => panic!("{words:?} ask for no load"),
    }
}

fn study(words: &[&str]) -> Study {
    drafted(words).study(&Options::default()).unwrap_or_else(|wrong| panic!("{words:?}: {wrong:?}"))
}

fn wrong(words: &[&str]) -> Vec<String> {
    let mistakes = drafted(words).study(&Options::default()).err().unwrap_or_default();
    mistakes.iter().map(told).collect()
}

#[test]
fn a_comparison_names_servers_by_their_addresses_and_asks_both_ways() {
    let compared = study(&["compare", "http://127.0.0.1:8080/a", "http://127.0.0.1:8081/a"]);
    assert_eq!(compared.variants[1].name, "127.0.0.1:8081");
    let texts: Vec<&str> = compared.declared_claims.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "throughput(127.0.0.1:8080) > throughput(127.0.0.1:8081)",
            "throughput(127.0.0.1:8080) ~ throughput(127.0.0.1:8081) within 5%"
        ]
    );
    assert_eq!(compared.workload[0].request.target, "/a");
    let same = study(&["compare", "http://127.0.0.1:8080/", "http://127.0.0.1:8080/"]);
    assert_eq!((same.variants[0].name.as_str(), same.variants[1].name.as_str()), ("a", "b"));
    assert_eq!(wrong(&["compare", "gopher://127.0.0.1/", "ftp://127.0.0.1/"]).len(), 2);
    assert!(wrong(&["compare", "http://127.0.0.1/a", "http://127.0.0.1/b"])[0].contains("same path"));
    assert!(wrong(&["compare", "127.0.0.1:1", "127.0.0.2:1", "-m", "G ET"])[0].contains("G ET"));
}

#[test]
fn a_comparison_starts_what_is_written_as_a_command() {
    let compared =
        study(&["compare", "./a --port {port}", "java -jar 'my server.jar' {port}", "--path", "/echo"]);
    let args = |at: usize| match &compared.variants[at].subject {
        SubjectSpec::Command { args, port: None, .. } => args.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(args(0), ["./a", "--port", "{port}"]);
    assert_eq!(args(1), ["java", "-jar", "my server.jar", "{port}"], "quotes hold a word together");
    assert_eq!(compared.question, "Which is faster: ./a --port {port} or java -jar 'my server.jar' {port}?");
    assert_eq!(compared.workload[0].request.target, "/echo");
    for (servers, expected) in [
        (["./a --port 1", "./b {port}"], "./a --port 1: nothing tells the command its port"),
        (["./a '{port}", "./b {port}"], "all quotes closed"),
    ] {
        let told = wrong(&["compare", servers[0], servers[1]]).join("\n");
        assert!(told.contains(expected), "{told}");
    }
}

#[test]
fn one_address_is_a_study_of_one_variant() {
    let one =
        study(&["127.0.0.1:81/a", "3*127.0.0.1:81/b", "127.0.0.1:82/", "-c", "4", "--fail", "p99 < 1s"]);
    let asked: Vec<(&str, u32, bool)> =
        one.workload.iter().map(|entry| (entry.name.as_str(), entry.weight, entry.at.is_some())).collect();
    assert_eq!(asked, [("/a", 1, false), ("/b", 3, false), ("/", 1, true)]);
    assert_eq!((one.variants.len(), one.points[0].label.as_str(), one.claims.len()), (1, "4c", 1));
    let searched = study(&["capacity", "127.0.0.1:81", "--slo", "p99 < 50ms", "--max-connections", "99"]);
    assert_eq!(searched.capacity.map(|load| load.from_per_s), Some(100.0));
}

#[test]
fn mistakes_are_told_at_once_and_once_each_under_their_flags() {
    let told = wrong(&[
        "127.0.0.1:81",
        "127.0.0.1:82",
        "-c",
        "0",
        "-H",
        "A: b",
        "-H",
        "Connection: close",
        "--timeout",
        "x",
        "--overflow",
        "drop",
        "--cacert",
        "no.pem",
        "--basic",
        "me",
        "--form",
        "x",
        "--fail",
        "p99 <",
    ]);
    let flags: Vec<&str> = told.iter().filter_map(|line| Some(line.split_once(": ")?.0)).collect();
    for flag in ["-c", "-H", "--timeout", "--overflow", "--cacert", "--basic", "--form", "--fail p99 <"] {
        assert_eq!(flags.iter().filter(|told| **told == flag).count(), 1, "{flag}: {told:#?}");
    }
    assert_eq!(told.len(), 8, "{told:#?}");
    let closing = wrong(&["127.0.0.1:81", "-H", "Connection: close"]);
    assert!(closing[0].contains("--keep-alive off"), "{closing:?}");
    let own = wrong(&["127.0.0.1:81", "--basic", "me:x", "-H", "Authorization: y"]);
    assert!(own[0].contains("-H Authorization") && !own[0].contains("headers."), "{own:?}");
}

#[test]
fn feeders_are_read() {
    let made = |text: &str| feeder(text).map(|(_, said)| format!("{said:?}"));
    for text in [
        "n=counter:5,2",
        "r=random:1..9",
        "t=text:16",
        "u=csv:a=b.csv",
        "p=sized:uniform:20..200KiB/10m",
        "i=uuid",
        "now=time:unix_ms",
        "u=lines:-random",
    ] {
        assert!(made(text).is_ok(), "{text}");
    }
    for (kind, order) in
        [("csv-random", "random"), ("json-lines-unique", "unique"), ("lines-unique", "unique")]
    {
        assert!(made(&format!("u={kind}:f")).is_ok_and(|said| said.contains(order)), "{kind}");
    }
    for text in [
        "",
        "x",
        "x=csv",
        "x=counter-random:1",
        "x=uuid-unique",
        "x=csv-shuffled:f",
        "env=text:1",
        "a.b=text:1",
        "x=counter:-1",
        "x=counter:1,0",
        "x=random:9..1",
        "x=random:1-9",
        "x=text:0",
        "x=other:1",
    ] {
        let told = wrong(&["127.0.0.1:1", "--feeder", text]);
        assert!(
            told.iter().any(|line| line.starts_with("--feeder") && line.contains("; ")),
            "{text}: {told:?}"
        );
    }
}

#[test]
fn parts_of_a_form_are_read() {
    let part = |text: &str| form_part(text).map(|part| format!("{part:?}"));
    assert!(part("a=b=c").is_ok_and(|part| part.contains("b=c")));
    assert!(part("f=@x/y.png;type=image/png;filename=z.png").is_ok_and(|part| part.contains("image/png")));
    assert!(part("nothing").is_err() && part("f=@x;size=3").is_err());
}

#[test]
fn fields_of_a_form_in_one_line_are_encoded_with_their_values() {
    let words = ["127.0.0.1:81${n}", "--feeder", "n=counter:1", "-m", "POST"];
    let asked = study(&[&words[..], &["--urlencoded", "q=a b=c", "--urlencoded", "id="]].concat());
    let entry = &asked.workload[0];
    assert_eq!(String::from_utf8_lossy(&entry.request.body), "q=a+b%3Dc&id=");
    assert_eq!((entry.request.target.as_str(), entry.template.slots[0].at), ("/", 1));
    assert!(wrong(&[&words[..], &["--urlencoded", "x"]].concat())[0].contains("name=value"));
    let both = ["proofload", "127.0.0.1:81", "--urlencoded", "a=b", "--body", "x"];
    assert!(Cli::try_parse_from(both).is_err());
}

#[test]
fn the_lines_of_a_file_are_the_addresses() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "/a%2Fb?c=d\nhttp://other/e\n").unwrap();
    let path = file.path().to_str().unwrap();
    let asked = study(&["127.0.0.1:81", "--urls", path, "-m", "PURGE"]);
    let entry = &asked.workload[0];
    assert_eq!((entry.request.method.as_str(), entry.request.target.as_str()), ("PURGE", "/"));
    assert_eq!(asked.asking.feed.draws.len(), 1);
    let named = wrong(&["127.0.0.1:81", "--urls", path, "--feeder", "urls=counter:1"]);
    assert!(named[0].contains("--feeder urls"), "{named:?}");
    assert!(wrong(&["127.0.0.1:81/x", "--urls", path])[0].contains("/x"));
}

#[test]
fn names_may_be_given_their_addresses() {
    assert_eq!(pinned("a:80:[::1]"), Ok(("a".to_owned(), 80, "::1".to_owned())));
    assert_eq!(pinned("a:80:[::1],127.0.0.7"), Ok(("a".to_owned(), 80, "::1,127.0.0.7".to_owned())));
    for bad in ["a", "a:80", "a:0:127.0.0.1", "a:80:b", "a:80:127.0.0.1,", "a:80:127.0.0.1,b"] {
        assert!(told(&pinned(bad).unwrap_err()).contains("example.org:443:127.0.0.1"), "{bad}");
    }
    let one = study(&["http://test.example:81/", "--resolve", "Test.Example:81:127.0.0.7"]);
    assert!(
        matches!(&one.variants[0].subject, SubjectSpec::Url { address, .. } if address.to_string() == "127.0.0.7:81")
    );
}

#[test]
fn a_draft_as_a_file_reads_as_the_same_study() {
    let draft = drafted(
        &[
            "http://127.0.0.1:81/a",
            "-r",
            "2k/s",
            "-H",
            "A: b",
            "-H",
            "A: c",
            "--bearer",
            "s3cret-token",
            "--feeder",
            "n=counter:1",
            "--stage",
            "hold 2k/s 1s",
            "--fail",
            "p99 < 1s",
        ]
        .into_iter()
        .filter(|word| !["--stage", "hold 2k/s 1s"].contains(word))
        .collect::<Vec<_>>(),
    );
    let text = draft.text();
    assert!(text.contains("${env.BEARER}") && !text.contains("s3cret"), "{text}");
}

#[test]
fn a_proxy_and_what_is_reached_without_it_are_those_of_the_flags() {
    let recorded = |words: &[&str]| {
        let words = [&["http://127.0.0.1:8080/", "--proxy", "http://127.0.0.1:3128"], words].concat();
        study(&words).passages().next().unwrap().recorded().unwrap_or_default()
    };
    let forwarded = recorded(&["--no-proxy", "a.test"]);
    assert_eq!((forwarded.proxy.as_str(), forwarded.forwards), ("127.0.0.1:3128", true));
    let tunnelled = recorded(&["--no-proxy", "", "--proxy-tunnel", "--proxy-user", "me:pw"]);
    assert_eq!((tunnelled.proxy.as_str(), tunnelled.forwards), ("127.0.0.1:3128", false));
    let direct = recorded(&["--no-proxy", "127.0.0.0/8"]);
    assert_eq!((direct.proxy.as_str(), direct.no_proxy.as_str()), ("", "127.0.0.0/8"));
}

#[test]
fn digest_is_an_authentication_and_excludes_the_others() {
    let asked = study(&["http://127.0.0.1:8080/", "--digest", "me:hunter2"]);
    let entry = &asked.workload[0];
    let digest = entry.digest.as_ref().unwrap();
    assert_eq!((digest.user.as_str(), digest.password.as_str()), ("me", "hunter2"));
    assert!(entry.template.digest && !entry.request.headers.iter().any(|(name, _)| name == "Authorization"));
    let both = ["proofload", "http://127.0.0.1/", "--digest", "a:b", "--basic", "a:b"];
    assert!(Cli::try_parse_from(both).is_err());
    let twice = ["http://127.0.0.1/", "--digest", "a:b", "-H", "Authorization: x"];
    assert!(wrong(&twice)[0].contains("exclude each other"), "{:?}", wrong(&twice));
}
