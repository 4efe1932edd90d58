//! The report of a run, as a page of this site.

use crate::ui::frame::Content;
use crate::ui::messages;
use crate::ui::records::{Record, Records};
use crate::ui::route::{encoded, in_query};
use crate::ui::{list, live};
use proofload_language::tr;
use proofload_report::{of_run, page};
use proofload_store::schema::{RunState, Slice};
use proofload_store::{Run, Single, layout};
use std::path::Path;

/// Interval in which a browser asks whether a running study has got further, in seconds.
const FOLLOW_S: u32 = 2;

/// The report of a record; or, where there is none, a page with the reason. `goes_on` is true if a process conducted
/// the run before any of it was read: what it writes meanwhile may make what is read not fit together.
///
/// # Errors
/// A page with the reason why it cannot be read. It is reloaded while the run goes on.
pub fn report(base: &str, records: &Records, record: &Record, goes_on: bool) -> Result<Content, Content> {
    let made = match Single::is_at(&record.path) {
        true => of_single(&record.path),
        false => of_study(&record.path, goes_on),
    };
    let links = before(base, records, record);
    match made {
        Ok(content) => Ok(Content { links, ..content }),
        Err(why) => {
            let said = crate::ui::frame::saying(&record.id.to_string_lossy(), &messages::unread(&why));
            Err(Content { links, follow_s: goes_on.then_some(FOLLOW_S), ..said })
        }
    }
}

fn of_single(path: &Path) -> Result<Content, String> {
    let Single { result, slice } = Single::open(path).map_err(|error| error.to_string())?;
    let page = page(&result, &[&slice]);
    Ok(Content {
        title: page.title,
        main: page.header + &page.body,
        charts: page.charts,
        ..Content::default()
    })
}

fn of_study(path: &Path, goes_on: bool) -> Result<Content, String> {
    let mut run = Run::open(path).map_err(|error| error.to_string())?;
    // It would count as one that was lost.
    let current = run.take_current();
    let mut result = of_run(&run).map_err(|error| error.to_string())?;
    let lost = run.blocks().iter().flat_map(|block| &block.lost).flat_map(|lost| &lost.slices);
    let mut slices: Vec<&Slice> = run.blocks().iter().flat_map(|block| &block.slices).chain(lost).collect();
    let mut live = String::new();
    if goes_on {
        slices.extend(current.iter().flat_map(|block| &block.slices));
        live = live::section(&run, current.as_ref()) + &list::measuring();
    } else if result.status.state == RunState::Running {
        result.status.state = RunState::Killed;
    }
    let page = page(&result, &slices);
    let follow_s = goes_on.then_some(FOLLOW_S);
    Ok(Content {
        title: page.title,
        main: page.header + &live + &page.body,
        charts: page.charts,
        follow_s,
        ..Content::default()
    })
}

/// A link that compares it with the run of its study before it.
fn before(base: &str, records: &Records, record: &Record) -> String {
    let all = records.all().unwrap_or_default().records;
    let mut of_study = all.iter().filter(|other| other.study == record.study);
    let older = of_study.find(|other| other.id < record.id && other.path.join(layout::PLAN).is_file());
    let Some(older) = older.filter(|_| record.path.join(layout::PLAN).is_file()) else {
        return String::new();
    };
    let [first, second] = [older, record].map(|of| in_query(&encoded(&of.study, &of.id)));
    format!("<a href=\"{base}/compare?run={first}&amp;run={second}\">{}</a>", tr!("ui-with-before"))
}
