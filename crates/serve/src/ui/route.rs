//! Targets of addresses, and the addresses of pages.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

/// Characters that are not escaped in an address.
const ESCAPED: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Runs that a comparison is asked of at most; two are compared.
const RUNS_MAX: usize = 3;

/// A run as an address names it: the bytes of the names of two folders. They are compared with what is there and are never made
/// part of a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// The folder of its study.
    pub study: Vec<u8>,
    pub id: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    /// The list of runs that match these words.
    List(String),
    /// The report of a run.
    Run(Named),
    /// Runs beside each other: two, or a request that is refused with that advice.
    Compare(Vec<Named>),
    /// The style of every page.
    Style,
    /// Script that reloads a page that changes.
    Script,
    Charts,
    /// The picture in the tab of a browser.
    Icon,
    Nothing,
}

impl Route {
    /// `path` is the part behind the token, still encoded.
    pub fn of(path: &str, query: &str) -> Route {
        let values = |name: &'static str| {
            form_urlencoded::parse(query.as_bytes())
                .filter(move |(key, _)| key == name)
                .map(|(_, value)| value)
        };
        let runs = || values("run").filter_map(|run| Named::read(&run)).take(RUNS_MAX);
        match path.split('/').collect::<Vec<_>>()[..] {
            [""] => Route::List(values("q").next().unwrap_or_default().into_owned()),
            ["compare"] => Route::Compare(runs().collect()),
            // A form sends them in the order of the list, newest first.
            ["compare", "chosen"] => {
                let mut chosen: Vec<Named> = runs().collect();
                chosen.sort_by(|a, b| (&a.id, &a.study).cmp(&(&b.id, &b.study)));
                Route::Compare(chosen)
            }
            ["run", study, id] => Route::Run(Named::of(study, id)),
            ["ui.css"] => Route::Style,
            ["ui.js"] => Route::Script,
            ["report.js"] => Route::Charts,
            ["icon.svg"] => Route::Icon,
            _ => Route::Nothing,
        }
    }
}

impl Named {
    fn of(study: &str, id: &str) -> Named {
        let bytes = |segment| percent_decode_str(segment).collect();
        Named { study: bytes(study), id: bytes(id) }
    }

    fn read(encoded: &str) -> Option<Named> {
        encoded.split_once('/').map(|(study, id)| Named::of(study, id))
    }
}

/// `STUDY/ID` with everything escaped that means something in an address or in HTML.
pub fn encoded(study: &OsStr, id: &OsStr) -> String {
    let part = |name: &OsStr| percent_encode(name.as_bytes(), &ESCAPED).to_string();
    format!("{}/{}", part(study), part(id))
}

/// As a value of a query.
pub fn in_query(text: &str) -> String {
    percent_encode(text.as_bytes(), &ESCAPED).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofload_testkit::HOSTILE;

    #[test]
    fn any_name_comes_back_as_it_was() {
        for name in HOSTILE.into_iter().chain(["..", ".", "%2e%2e", "a/b", "ä"]) {
            let address = encoded(OsStr::new(name), OsStr::new(name));
            let named = Named { study: name.as_bytes().to_vec(), id: name.as_bytes().to_vec() };
            assert_eq!(Route::of(&format!("run/{address}"), ""), Route::Run(named.clone()), "{name:?}");
            let query = format!("run={}&run={}", in_query(&address), in_query(&address));
            assert_eq!(Route::of("compare", &query), Route::Compare(vec![named.clone(), named]), "{name:?}");
            let safe = |c: char| c.is_ascii_alphanumeric() || "-_.~%/".contains(c);
            assert!(address.chars().all(safe), "{address}");
        }
        let odd = OsStr::from_bytes(b"\xff\xfe");
        let named = Named { study: b"\xff\xfe".to_vec(), id: b"\xff\xfe".to_vec() };
        assert_eq!(Route::of(&format!("run/{}", encoded(odd, odd)), ""), Route::Run(named));
    }

    #[test]
    fn of_two_that_were_chosen_the_older_is_the_first() {
        let named = |id: &str| Named { study: b"a".to_vec(), id: id.as_bytes().to_vec() };
        let both = |path| Route::of(path, "run=a/2026&run=a/2025");
        assert_eq!(both("compare/chosen"), Route::Compare(vec![named("2025"), named("2026")]));
        assert_eq!(both("compare"), Route::Compare(vec![named("2026"), named("2025")]), "swapped");
    }

    #[test]
    fn what_is_no_page_is_nothing() {
        for path in [
            "run",
            "run/a",
            "run/a/b/c",
            "run/../a/b",
            "../runs",
            "ui.js/",
            "%2e%2e/x",
            "compare/x",
            "etc/passwd",
        ] {
            assert_eq!(Route::of(path, ""), Route::Nothing, "{path}");
        }
        assert_eq!(Route::of("", "q=a+b%3C&q=c"), Route::List("a b<".to_string()));
        assert_eq!(Route::of("compare", "run=a"), Route::Compare(Vec::new()));
    }
}
