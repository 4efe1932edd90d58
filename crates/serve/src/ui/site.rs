//! The answer to each request: a page, made anew or kept, or one of a few fixed files.

use crate::answer::{Answer, HTML};
use crate::ui::frame::{self, Content, page, saying};
use crate::ui::kept::{Kept, Made};
use crate::ui::records::{Record, Records, Seen, Unread, seen};
use crate::ui::route::{Named, Route};
use crate::ui::rows::Rows;
use crate::ui::{compare, list, messages, report};
use hyper::StatusCode;
use hyper::body::Bytes;
use proofload_host::clock::{monotonic_ns, thread_cpu_ns};
use proofload_language::tr;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The files that every page has.
pub fn file(route: &Route) -> Option<Answer> {
    let (kind, text) = match route {
        Route::Style => ("text/css; charset=utf-8", proofload_report::STYLE.to_string() + frame::STYLE),
        Route::Script => ("text/javascript; charset=utf-8", frame::SCRIPT.to_string()),
        Route::Charts => ("text/javascript; charset=utf-8", proofload_report::script().to_string()),
        Route::Icon => ("image/svg+xml", frame::ICON.to_string()),
        _ => return None,
    };
    Some(Answer { status: StatusCode::OK, kind, body: text.into(), etag: None })
}

/// Maker of pages, one at a time.
#[derive(Debug)]
pub struct Site {
    base: String,
    records: Records,
    rows: Rows,
    kept: Kept,
}

impl Site {
    /// Pages over those records; every address begins with `base`.
    pub fn new(base: String, records: Records) -> Site {
        Site { base, records, rows: Rows::default(), kept: Kept::default() }
    }

    /// The page that is asked for; `known` is the name of the one that the browser has.
    pub fn answer(&mut self, route: &Route, known: Option<&str>) -> Answer {
        let answer = match route {
            Route::List(search) => self.list(search),
            Route::Run(named) => self.run(named),
            Route::Compare(named) => self.compare(named),
            _ => self.says(StatusCode::NOT_FOUND, &messages::RUNS, tr!("ui-nothing")),
        };
        match answer.etag.as_deref() == known && known.is_some() {
            true => Answer { status: StatusCode::NOT_MODIFIED, body: Bytes::new(), ..answer },
            false => answer,
        }
    }

    fn list(&mut self, search: &str) -> Answer {
        let content = list::list(&self.base, &self.records, &mut self.rows, search);
        let etag = named(&content.main);
        let html = page(&self.base, &content, search, &etag);
        Answer { etag: Some(etag), ..Answer::html(StatusCode::OK, html) }
    }

    fn run(&mut self, named: &Named) -> Answer {
        let record = match self.find(named) {
            Ok(record) => record,
            Err(answer) => return answer,
        };
        let seen = match seen(&record.path) {
            Ok(seen) => seen,
            Err(unread) => return self.unread(&record, &unread),
        };
        let made = self.kept.get(&record.path, seen, monotonic_ns());
        let made = made.unwrap_or_else(|| self.make(&record, seen));
        Answer { status: StatusCode::OK, kind: HTML, body: made.page, etag: Some(made.etag) }
    }

    fn make(&mut self, record: &Record, seen: Seen) -> Made {
        let before_ns = thread_cpu_ns();
        let report = report::report(&self.base, &self.records, record, seen.goes_on);
        // What could not be read while it was written may be there a moment later, under the same names.
        let is_settled = report.is_ok() || !seen.goes_on;
        let content = report.unwrap_or_else(|why| why);
        let etag = named(&(&content.main, &content.charts));
        let made = Made {
            fingerprint: is_settled.then_some(seen.fingerprint),
            page: page(&self.base, &content, "", &etag).into(),
            etag,
            cost_ns: thread_cpu_ns().saturating_sub(before_ns),
            done_ns: monotonic_ns(),
        };
        self.kept.put(&record.path, made.clone());
        made
    }

    fn compare(&mut self, named: &[Named]) -> Answer {
        let [first, second] = named else {
            return self.says(StatusCode::BAD_REQUEST, &messages::TWO_RUNS, tr!("ui-choose-two"));
        };
        let both = self.find(first).and_then(|first| Ok([first, self.find(second)?]));
        let [first, second] = match both {
            Ok(both) => both,
            Err(answer) => return answer,
        };
        for record in [&first, &second] {
            if let Err(unread) = seen(&record.path) {
                return self.unread(record, &unread);
            }
        }
        let content = compare::compare(&self.base, &first, &second);
        Answer::html(StatusCode::OK, page(&self.base, &content, "", ""))
    }

    fn find(&self, named: &Named) -> Result<Record, Answer> {
        let missing = || self.says(StatusCode::NOT_FOUND, &messages::RUNS, tr!("ui-not-there"));
        self.records.find(named).ok_or_else(missing)
    }

    fn unread(&self, record: &Record, unread: &Unread) -> Answer {
        let why = match unread {
            Unread::Io(error) => error.to_string(),
            Unread::Odd(path) => messages::odd(&path.display().to_string()),
        };
        self.says(StatusCode::NOT_FOUND, &record.id.to_string_lossy(), &messages::unread(&why))
    }

    fn says(&self, status: StatusCode, title: &str, sentence: &str) -> Answer {
        let content: Content = saying(title, sentence);
        Answer::html(status, page(&self.base, &content, "", ""))
    }
}

/// The same for the same content.
fn named(content: &impl Hash) -> String {
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    format!("\"{:016x}\"", hasher.finish())
}
