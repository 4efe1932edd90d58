//! Names by strangers, in both formats. Programs of others read them back in `cargo xtask scrape`.

use super::support::{begun, figures, metric, parts_of, second, slice};
use proofload_measure::Outcome::{self, Answered};
use proofload_report::escape;
use proofload_serve::metrics::{Format, Moment, State, otlp};
use proofload_testkit::HOSTILE;

fn named(name: &str) -> State {
    let mut state = begun(name);
    state.slice(&slice(name, name, "", &second(0, &[(1_000_000, Answered)])));
    state.lost(name);
    state
}

#[test]
fn a_name_changes_no_line_and_no_label_of_the_text() {
    for format in [Format::OpenMetrics, Format::Text] {
        let harmless = figures(&named("word")).text(format);
        for name in HOSTILE {
            let text = figures(&named(name)).text(format);
            assert_eq!(text.lines().count(), harmless.lines().count(), "{name:?}");
            assert!(!text.contains(|c: char| c.is_control() && c != '\n' && c != '\t'), "{name:?}");
            let shown = escape::line(name).replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            for (line, plain) in text.lines().zip(harmless.lines()) {
                assert_eq!(line.replace(&shown, "word"), plain, "{name:?}");
            }
        }
    }
}

#[test]
fn a_name_is_one_attribute_in_protobuf() {
    let moment = Moment { began_unix_ns: 1, unix_ns: 2 };
    for name in HOSTILE {
        let bytes = otlp(&figures(&named(name)), &[(name.to_string(), name.to_string())], moment);
        let keys = parts_of(&bytes, &[1, 1, 1, 1]);
        assert!(keys.contains(&name.as_bytes()));
        let exchanges = metric(&bytes, "proofload.exchanges");
        let values = parts_of(exchanges, &[7, 1, 7, 2, 1]);
        let shown = escape::line(name);
        let these = values.iter().filter(|value| **value == shown.as_bytes());
        assert_eq!(these.count(), 3 * Outcome::ALL.len(), "study, variant and point: {name:?}");
    }
}
