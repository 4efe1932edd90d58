//! The notation of a plan's requests and servers, which records compare.

use proofload_engine::Expect;
use proofload_engine::reading::{Capture, Source};
use proofload_extract::{Pick, Selector};
use std::ops::RangeInclusive;

pub const KEEPS_COOKIES: &str = "each connection keeps its cookies";
pub const USERS_KEEP_COOKIES: &str = "each user keeps cookies";

/// A program that is started as a subject; without a port it is given a free one.
pub fn command(program: &str, port: Option<u16>) -> String {
    let port = port.map_or_else(|| "a free port".to_string(), |port| format!("port {port}"));
    format!("{program} on {port}")
}

/// A subject that runs already.
pub fn running(url: &str, address: &str) -> String {
    format!("{url} at {address}, already running")
}

/// Addresses that connections are bound to.
pub fn leave_from(addresses: &[String]) -> String {
    format!("connections leave from {}", addresses.join(", "))
}

pub fn follows(redirects: u32) -> String {
    format!("follows {redirects} redirects")
}

/// Checks of an answer; that of a call has no status.
pub fn expects(is_call: bool, expect: &Expect) -> String {
    let codes = |codes: &RangeInclusive<u16>| match (codes.start(), codes.end()) {
        (first, last) if first == last => first.to_string(),
        (first, last) => format!("{first} to {last}"),
    };
    let mut expected = vec![match expect.status.as_slice() {
        [] if is_call => "a result".to_string(),
        [] => "status 200 to 399".to_string(),
        some => format!("status {}", some.iter().map(codes).collect::<Vec<_>>().join(" or ")),
    }];
    expected.extend(expect.bytes.as_ref().map(|bytes| match (bytes.start(), bytes.end()) {
        (least, most) if least == most => format!("{least} bytes"),
        (least, most) => format!("{least} to {most} bytes"),
    }));
    let text = |is: &str, text: &Vec<u8>| format!("{is} text {:?}", String::from_utf8_lossy(text));
    expected.extend(expect.text.iter().map(|wanted| text("the", wanted)));
    expected.extend(expect.no_text.iter().map(|unwanted| text("no", unwanted)));
    expected.extend(expect.values.iter().map(|value| format!("{} is {}", value.written, value.test)));
    expected.extend(expect.schema.as_ref().map(|_| "a body of its schema".to_string()));
    expected.extend(expect.within_ns.map(|ns| format!("at most {} ms", ns as f64 / 1e6)));
    format!("expects {}", expected.join(" and "))
}

/// Another server than the subject, to which requests go.
pub fn of_server(scheme: &str, authority: &str) -> String {
    format!("at {scheme}://{authority}")
}

/// A value that is captured, with its place.
pub fn captures(capture: &Capture) -> String {
    let place = match &capture.from {
        Source::Status => "the status".to_string(),
        Source::Header(name) => format!("header {name}"),
        Source::Cookie(name) => format!("cookie {name}"),
        Source::Body(Selector::Css { selector, attribute: Some(attribute) }) => {
            format!("{selector} attribute {attribute}")
        }
        Source::Body(
            Selector::JsonPath(text)
            | Selector::Regex(text)
            | Selector::XPath(text)
            | Selector::Css { selector: text, .. },
        ) => text.clone(),
    };
    let pick = match capture.pick {
        Pick::Nth(1) => String::new(),
        Pick::Nth(number) => format!(" (match {number})"),
        Pick::Last => " (the last)".to_string(),
        Pick::Any => " (any)".to_string(),
        Pick::Count => " (their number)".to_string(),
    };
    let otherwise = capture.otherwise.as_ref().map_or("", |_| ", or a value given for none");
    format!("captures {} from {place}{pick}{otherwise}", capture.name)
}

/// The share of an entry.
pub fn weight(weight: u32, total: u64) -> String {
    format!("{weight} of {total}")
}

/// A journey with its steps.
pub fn journey(name: &str, steps: &str, weight: u32, total: u64) -> String {
    let share =
        if u64::from(weight) == total { String::new() } else { format!(", {weight} of {total} users") };
    format!("journey {name}: {steps}{share}")
}

/// The load of a search.
pub fn search_load(label: &str) -> String {
    format!("search from {}", label.replace("..", " to "))
}
