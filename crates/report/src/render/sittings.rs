//! Sittings of one study, for a terminal.

use crate::escape::{line, terminal};
use crate::messages;
use crate::render::lines::Terminal;
use crate::render::text::{judged_lines, table_lines};
use crate::shown::Table;
use crate::view::verdict;
use proofload_language::facts::told;
use proofload_language::{Columns, tr};
use proofload_store::schema::{SittingRun, SittingsResult};

/// Verdicts over all sittings, then the sittings. `when` turns nanoseconds since 1970 into a date.
pub fn sittings_text(result: &SittingsResult, when: &dyn Fn(u64) -> String) -> String {
    let mut out = format!("{}\n", line(&result.study));
    let mut say = |text: &str| {
        out.push_str(text);
        out.push('\n');
    };
    if !result.question.is_empty() {
        say(&terminal(&result.question));
    }
    say(&messages::made_of_sittings(result));
    say("");
    let verdicts: Vec<_> = result.claims.iter().map(|claim| verdict(claim, None, false)).collect();
    judged_lines(&verdicts, Terminal::FILE).iter().for_each(|lines| say(lines));
    let row = |run: &SittingRun| {
        let began = if run.began_unix_ns == 0 { messages::NONE.to_string() } else { when(run.began_unix_ns) };
        vec![began, run.blocks.to_string(), run.seed.to_string(), run.id.clone()]
    };
    let table =
        Table::with(tr!("sittings-sittings"), Columns::<4>("sitting-columns"), result.runs.iter().map(row));
    say("");
    say(&table_lines(&table, Terminal::FILE));
    say("");
    say(messages::LIMITS.text());
    result.limits.iter().for_each(|limit| say(&format!("  - {}", line(&told(limit)))));
    if !result.headline.is_empty() {
        say("");
        say(&line(&result.headline));
    }
    out
}
