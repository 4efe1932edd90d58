//! Published conclusions and how they are shown.

use crate::messages;
use crate::shown::{Tone, VerdictView};
use proofload_language::facts;
use proofload_language::{named, tr};
use proofload_store::schema::{ConclusionOutcome, ConclusionResult, ConclusionTest};

/// A conclusion as it is shown: like a verdict, with the notes on each of its tests.
pub(crate) fn view(row: &ConclusionResult) -> VerdictView {
    let line = |test: &ConclusionTest| {
        let rests_on = messages::rests_on(test.estimate.as_ref(), test.confidence, test.blocks, false);
        match rests_on.is_empty() {
            true => test.text.clone(),
            false => tr!("conclusion-test", text = test.text, rests_on),
        }
    };
    let mut reasons = Vec::new();
    let mut rests_on = String::new();
    match row.tests.as_slice() {
        [only] => {
            rests_on = line(only);
            reasons.extend(only.reasons.iter().map(facts::told));
        }
        several => {
            for test in several {
                reasons.push(tr!("labelled", label = named(test.outcome.name()), what = line(test)));
                reasons.extend(test.reasons.iter().map(facts::told));
            }
        }
    }
    reasons.extend(row.not_tested.iter().map(facts::told));
    reasons.extend(Some(&row.beware).filter(|why| !why.is_empty()).map(|why| tr!("beware", why)));
    reasons.extend(
        row.contradictions.iter().map(|what| tr!("rests-on-contradiction", sentence = facts::told(what))),
    );
    VerdictView {
        verdict: named(row.outcome.name()).to_string(),
        tone: tone(&row.outcome),
        name: row.says.clone(),
        text: match messages::published_in(&row.source, &row.url) {
            published_in if row.was.is_empty() => published_in,
            published_in => tr!("was", figure = row.was, published_in),
        },
        rests_on,
        reasons,
        ..VerdictView::default()
    }
}

fn tone(outcome: &ConclusionOutcome) -> Tone {
    match outcome {
        ConclusionOutcome::Reproduced => Tone::Good,
        ConclusionOutcome::NotReproduced => Tone::Bad,
        _ => Tone::Open,
    }
}
