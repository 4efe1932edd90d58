//! Which calls may stand where.

use super::code::RustFile;

/// A rule: what may not be written, where it may all the same, and what to do instead.
struct Rule {
    words: &'static [&'static str],
    allowed: &'static [&'static str],
    in_tests_too: bool,
    instead: &'static str,
}

// The words are split so that this file does not break its own rules.
const RULES: [Rule; 8] = [
    Rule {
        words: &[concat!("Instant::", "now"), concat!("SystemTime::", "now"), concat!("clock_", "gettime(")],
        allowed: &["crates/engine/src/clock.rs", "crates/host/", "crates/reference/", "xtask/", "benches/"],
        in_tests_too: false,
        instead: "take the time as an argument, or from engine::clock or host::clock",
    },
    Rule {
        words: &[
            concat!("Tcp", "Stream::connect"),
            concat!("Tcp", "Listener::bind"),
            concat!("Udp", "Socket"),
        ],
        allowed: &[
            "crates/agents/",
            "crates/metrics/src/scrape.rs",
            "crates/engine/src/driver/",
            "crates/reference/",
            "crates/testkit/",
            "crates/subject/",
            "crates/telemetry/",
            "crates/ui/",
            "benches/",
        ],
        in_tests_too: false,
        instead: "sockets belong to engine::driver, agents, reference, metrics, ui, and the probes of subject and telemetry",
    },
    Rule {
        words: &[concat!("Com", "mand::new(")],
        allowed: &[
            "crates/agents/src/local.rs",
            "crates/places/",
            "crates/subject/src/keeper/",
            "xtask/",
            "benches/",
        ],
        in_tests_too: false,
        instead: "only the keepers of subject start processes, agents of this executable, and places what brings it elsewhere",
    },
    Rule {
        words: &[concat!("derive(Ser", "ialize"), concat!(", Ser", "ialize"), concat!(", Deser", "ialize")],
        allowed: &[
            "crates/agents/",
            "crates/engine/",
            "crates/measure/",
            "crates/places/",
            "crates/store/",
            "crates/study/",
            "crates/subject/",
            "crates/wire/",
            "xtask/",
        ],
        in_tests_too: false,
        instead: "stored types live in store; input types in study and subject; what agents hear in agents, engine, measure and \
                  wire; what a place answers in places",
    },
    Rule {
        words: &[
            concat!("todo", "!("),
            concat!("unimplemented", "!("),
            concat!("dbg", "!("),
            concat!("#[ig", "nore]"),
        ],
        allowed: &[],
        in_tests_too: true,
        instead: "finish it, or take it out",
    },
    Rule {
        words: &[concat!(".unw", "rap()")],
        allowed: &["xtask/", "benches/"],
        in_tests_too: false,
        instead: "return the error, or `expect` with the reason why it cannot happen",
    },
    Rule {
        words: &[concat!("print", "ln!("), concat!("print", "!(")],
        allowed: &[
            "crates/cli/",
            "xtask/",
            "benches/",
            "crates/subject/build.rs",
            "crates/subject/src/keeper/",
        ],
        in_tests_too: false,
        instead: "only cli talks to a person; return what is to be said",
    },
    Rule {
        words: &[concat!("std::", "net::TcpStream"), concat!("std::", "fs::"), concat!("std::", "thread")],
        allowed: &[
            "crates/agents/",
            "crates/engine/",
            "crates/reference/",
            "crates/store/",
            "crates/study/",
            "crates/host/",
            "crates/subject/",
            "crates/telemetry/",
            "crates/lab/",
            "crates/places/",
            "crates/ui/",
            "crates/metrics/src/push.rs",
            "crates/metrics/src/scrape.rs",
            "crates/metrics/examples/",
            "crates/cli/",
            "crates/testkit/",
            "xtask/",
            "benches/",
        ],
        in_tests_too: false,
        instead: "wire, measure, stats and report do no I/O",
    },
];

/// Checks one file against every rule.
pub fn check(file: &RustFile) -> Vec<String> {
    let mut found = Vec::new();
    for (at, line, in_tests) in file.lines() {
        let code = line.split("//").next().unwrap_or(line);
        for rule in &RULES {
            let allowed = rule.allowed.iter().any(|place| file.path.starts_with(place));
            if allowed || (in_tests && !rule.in_tests_too) {
                continue;
            }
            if let Some(word) = rule.words.iter().find(|word| stands_alone(code, word)) {
                found.push(format!("{}:{}: `{word}` may not stand here: {}", file.path, at, rule.instead));
            }
        }
    }
    found
}

/// Whether the word is there, and not as a part of a longer name.
pub fn stands_alone(code: &str, word: &str) -> bool {
    let in_name = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    code.match_indices(word).any(|(at, _)| {
        let (before, after) = (code[..at].chars().next_back(), code[at + word.len()..].chars().next());
        let begins = in_name(word.chars().next()) && in_name(before);
        let ends = in_name(word.chars().next_back()) && in_name(after);
        !begins && !ends
    })
}

#[cfg(test)]
mod tests {
    use super::super::Source;
    use super::*;

    fn found(path: &str, text: &str) -> usize {
        check(&RustFile::parse(&Source { path: path.into(), text: text.into() }).unwrap()).len()
    }

    #[test]
    fn the_clock_is_asked_in_its_places_only() {
        let text = concat!("fn f() { Instant::", "now(); }\n");
        assert_eq!(found("crates/engine/src/worker.rs", text), 1);
        assert_eq!(found("crates/engine/src/clock.rs", text), 0);
        assert_eq!(
            found(
                "crates/engine/src/worker.rs",
                concat!("#[cfg(test)]\nmod tests {\nfn f() { Instant::", "now(); }\n}\n")
            ),
            0
        );
    }

    #[test]
    fn unfinished_work_is_found_in_tests_too() {
        let text = concat!("#[cfg(test)]\nmod tests {\nto", "do!();\n}\n");
        assert_eq!(found("crates/wire/src/lib.rs", text), 1);
    }

    #[test]
    fn a_comment_or_a_longer_name_is_no_call() {
        assert_eq!(found("crates/wire/src/lib.rs", concat!("// x", ".unw", "rap()\n")), 0);
        assert_eq!(found("crates/store/src/lib.rs", concat!("e", "print", "ln!(\"x\");\n")), 0);
        assert_eq!(found("crates/store/src/lib.rs", concat!("print", "ln!(\"x\");\n")), 1);
    }

    #[test]
    fn stored_types_live_in_store() {
        let derive = concat!("#[derive(Clone, Ser", "ialize)]\nstruct A;\n");
        assert_eq!(
            (found("crates/stats/src/lib.rs", derive), found("crates/store/src/lib.rs", derive)),
            (1, 0)
        );
        assert_eq!(found("crates/stats/src/lib.rs", concat!("use x::{A, Ser", "ializer};\n")), 0);
    }

    #[test]
    fn pure_crates_touch_no_file() {
        assert_eq!(found("crates/stats/src/lib.rs", concat!("use std::", "fs::read;\n")), 1);
        assert_eq!(found("crates/store/src/lib.rs", concat!("use std::", "fs::read;\n")), 0);
    }
}
