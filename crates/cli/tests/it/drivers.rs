//! Drivers, on sockets.

use crate::support::{Reference, json, proofload, text};

/// True if this machine permits io_uring, as the executable reports; else prints why the rest is skipped.
fn is_permitted(url: &str) -> bool {
    let output = proofload(&[url, "--driver", "io_uring", "-n", "1", "-q", "--format", "json"]);
    let said = text(&output.stderr);
    if said.contains("cannot use the io_uring driver") {
        assert!(output.status.code() == Some(2) && said.contains("use --driver epoll"), "{said}");
        eprintln!("skipped, because this machine: {said}");
        return false;
    }
    true
}

#[test]
fn every_driver_carries_a_load_over_two_workers_and_stands_in_the_record() {
    let server = Reference::listening(&[]);
    let url = server.url();
    let mut drivers = vec!["epoll"];
    if is_permitted(&url) {
        drivers.push("io_uring");
    }
    for driver in drivers {
        let before = server.counts()["requests"].as_u64().expect("a count");
        let load = ["--driver", driver, "--workers", "2", "-c", "6", "-n", "2001", "-q", "--format", "json"];
        let output = proofload(&[&[url.as_str()][..], &load].concat());
        let point = json(&output)["points"][0].clone();
        assert_eq!(point["outcomes"]["answered"], 2001);
        assert_eq!(point["generator"]["driver"], driver);
        assert_eq!(server.counts()["requests"].as_u64(), Some(before + 2001));
    }
}

#[test]
fn a_driver_that_is_none_or_does_not_fit_is_a_usage_error() {
    let url = "http://127.0.0.1:1/";
    let output = proofload(&[url, "--driver", "kqueue"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("io_uring"), "{}", text(&output.stderr));
    let output = proofload(&[url, "--debug", "--driver", "io_uring"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("--driver: has no meaning beside --debug"),
        "{}",
        text(&output.stderr)
    );
}
