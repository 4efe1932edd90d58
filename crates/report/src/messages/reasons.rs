//! Why a verdict is what it is.

use super::blocks;
use crate::number;
use proofload_language::{Phrase, again, say, word};
use proofload_stats::{Judged, Names, Reason, Source, TAIL_EXCHANGES_MIN};

/// Why a verdict is what it is.
pub fn reasons(judged: &Judged, names: &Names, seconds_per_block: f64) -> Vec<String> {
    let unit = judged.estimate.map_or("ratio", |estimate| estimate.unit);
    let mut said: Vec<String> = judged.reasons.iter().map(|reason| why(reason, names, unit)).collect();
    if let Some(projection) = judged.projection.filter(|_| judged.reasons.iter().any(is_few)) {
        let minutes = f64::from(projection.blocks) * seconds_per_block / 60.0;
        let basis = if projection.assumed {
            word!("reasons-if-the-spread-between")
        } else {
            word!("reasons-at-the-spread-seen")
        };
        said.push(say!(
            "reasons-would-take-about-minutes",
            projection = format!("{:.0}", projection.resolution * 100.0),
            blocks = blocks(projection.blocks),
            minutes = format!("{minutes:.0}"),
            basis
        ));
    }
    said
}

fn is_few(reason: &Reason) -> bool {
    matches!(reason, Reason::TooFewBlocks { .. } | Reason::NoData)
}

const LIMITED_ON_THE_FASTER_SIDE: Phrase = Phrase("limited-on-the-faster-side");

const ONLY_LENGTHENED: Phrase = Phrase("only-lengthened");

/// One reason; `unit` is that of the estimate.
pub(crate) fn why(reason: &Reason, names: &Names, unit: &str) -> String {
    let variant = |index: &usize| names.variants.get(*index).map_or("?", |variant| variant.name.as_str());
    match reason {
        Reason::NoData => word!("why-no-complete-block-nothing").into(),
        Reason::TooFewBlocks { have: 1, .. } => word!("why-one-block-a-single").into(),
        Reason::TooFewBlocks { have, need } => {
            say!("why-so-far-the-next", blocks = blocks(*have), need)
        }
        Reason::IntervalCrosses { resolution, more_blocks } => {
            let more = match more_blocks {
                Some(n) => say!("why-about-more-would-settle", blocks = blocks(*n)),
                None => word!("why-no-number-of-blocks").into(),
            };
            say!("why-the-interval-allows-both", resolution = number::percent(*resolution), more)
        }
        Reason::ClientLimited { what } => say!("why-client-limited", what = again(what)),
        Reason::LimitedOnTheFasterSide => LIMITED_ON_THE_FASTER_SIDE.into(),
        Reason::OnlyLengthened => ONLY_LENGTHENED.into(),
        Reason::TooFewSittings { .. } | Reason::SittingsCross { .. } | Reason::WidenedBySittings { .. } => {
            of_sittings(reason)
        }
        Reason::Widened { share } => super::widened(*share),
        Reason::Unended { measure, variant: index, unanswered, unsent } => {
            super::lower_end(&measure.name(), variant(index), *unanswered, *unsent)
        }
        Reason::Errors { variant: index, share } => {
            say!("why-of-the-exchanges-of", share = number::percent(*share), variant = variant(index))
        }
        Reason::SignsDisagree => word!("why-the-hodges-lehmann-estimate").into(),
        Reason::LostUnevenly { variant: index, lost, other, of } => {
            say!("why-was-lost-in-of", variant = variant(index), lost, blocks = blocks(*of), other)
        }
        Reason::HalvesDiffer { first, second, errors, allowed } => {
            halves_differ(*first, *second, *errors, *allowed, unit)
        }
        Reason::SliceLength { ratio, blocks: n } => super::slice_length(*ratio, &blocks(*n)),
        Reason::Futile { last, chance } => say!(
            "why-closed-early-as-it",
            blocks = blocks(*last),
            chance = number::percent(chance.max(0.000_1))
        ),
        Reason::SpoiledBlocks { .. } | Reason::BlocksLost { .. } | Reason::Disturbed { .. } => {
            of_blocks(reason)
        }
        Reason::NotMeasured { measure, variant: index, point, stream, blocks: n } => say!(
            "why-has-no-value-in",
            measure = measure.name(),
            stream = stream
                .and_then(|at| names.streams.get(at))
                .map_or_else(String::new, |name| format!("[{name}]")),
            variant = variant(index),
            names = names.points.get(*point).map_or("?", String::as_str),
            blocks = blocks(*n),
            needs = needs(measure.source())
        ),
        Reason::NotResolvable { measure, variant: index, beyond } => {
            super::unresolved(&measure.name(), variant(index), *beyond, TAIL_EXCHANGES_MIN)
        }
        Reason::NoSteadyState { blocks: n, of, per_10s } => {
            super::no_steady_state(*n, &blocks(*of), *per_10s)
        }
        Reason::BeyondWarmUp { blocks: n, of, share } => super::beyond_warm_up(*n, &blocks(*of), *share),
        Reason::Constant => word!("why-constant-over-all-blocks").into(),
        Reason::OneMeasurement => word!("why-one-measurement-no-interval").into(),
        Reason::SeenOnly { exchanges, upper, starts, upper_starts } => {
            super::seen_only(*exchanges, *upper, *starts, *upper_starts)
        }
        Reason::InLostBlocks { .. }
        | Reason::OwnErrors { .. }
        | Reason::Died { .. }
        | Reason::FailsTooOften { .. } => of_errors(reason, names),
        Reason::DependsOn { .. } => super::depends_on(reason, names),
        _ => word!("why-for-a-reason-that").into(),
    }
}

/// What there is to say of sittings.
fn of_sittings(reason: &Reason) -> String {
    match reason {
        Reason::TooFewSittings { have, need } => super::too_few_sittings(*have, *need),
        Reason::SittingsCross { resolution, more_sittings } => {
            super::sittings_cross(*resolution, *more_sittings)
        }
        Reason::WidenedBySittings { tau, sittings } => super::widened_by_sittings(*tau, *sittings),
        _ => String::new(),
    }
}

/// What became of blocks.
fn of_blocks(reason: &Reason) -> String {
    match reason {
        Reason::SpoiledBlocks { blocks: n, of } => {
            say!("of-blocks-the-generator-was-unfit", n, blocks = blocks(*of))
        }
        Reason::BlocksLost { lost, of } => {
            let were = say!("of-blocks-were", lost = *lost);
            say!("of-blocks-of-lost-to-it", lost, blocks = blocks(*of), were)
        }
        Reason::Disturbed { blocks: n, of } => {
            say!("of-blocks-the-machine-disturbed-of", n, blocks = blocks(*of))
        }
        _ => String::new(),
    }
}

/// Where errors come from that are not the usual ones.
fn of_errors(reason: &Reason, names: &Names) -> String {
    let variant = |index: &usize| names.variants.get(*index).map_or("?", |variant| variant.name.as_str());
    match reason {
        Reason::Died { variant: index, what } => {
            say!("of-errors-died-under-load", variant = variant(index), what = again(what))
        }
        Reason::OwnErrors { errors } => say!("of-errors-errors-are-of-the", errors = number::count(*errors)),
        Reason::FailsTooOften { share, .. } => {
            say!("of-errors-errors-above-no-threshold", share = number::percent(*share))
        }
        Reason::InLostBlocks { errors } => {
            say!("of-errors-of-them-in-blocks", errors = number::count(*errors))
        }
        _ => String::new(),
    }
}

fn halves_differ(first: f64, second: f64, errors: f64, allowed: f64, unit: &str) -> String {
    let value = |value: f64| match unit {
        "ratio" => format!("{value:.0$}", number::ratio_decimals((first - second).abs())),
        _ => number::with_unit(value, unit),
    };
    say!(
        "halves-differ",
        value = value(first),
        value2 = value(second),
        errors = number::plain(errors),
        allowed = format!("{allowed:.1}")
    )
}

/// What a subject must have to have a value.
fn needs(source: Source) -> &'static str {
    match source {
        Source::Process => word!("needs-it-needs-processes-that"),
        Source::Workers => {
            word!("needs-it-needs-at-least")
        }
        Source::Sockets | Source::Machine => word!("needs-it-needs-a-subject"),
        Source::Backend => {
            word!("needs-no-connection-between-the")
        }
        Source::Jvm => {
            word!("needs-it-comes-from-a")
        }
        Source::Collections => word!("needs-it-needs-a-jvm"),
        Source::FullCollections => {
            word!("needs-it-needs-a-jvm-whose-collector")
        }
        Source::Generations => word!("needs-it-needs-a-jvm-whose-collector-has-generations"),
        Source::Locks => {
            word!("needs-it-needs-a-jvm-that-counts")
        }
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_that_differ_read_differently() {
        let differ = |first, second, unit| halves_differ(first, second, 4.2, 3.3, unit);
        assert!(differ(1.011, 1.014, "ratio").contains("shows 1.0110, the second 1.0140: 4.20 standard"));
        assert!(differ(0.9, 1.1, "ratio").contains("shows 0.90, the second 1.10:"));
        assert!(differ(2e6, 3e6, "ns").contains("shows 2.00 ms, the second 3.00 ms:"));
    }

    #[test]
    fn one_block_was_lost_and_two_were() {
        let said = |lost, of| of_blocks(&Reason::BlocksLost { lost, of });
        assert_eq!(said(1, 1), "1 of 1 block was lost to it");
        assert_eq!(said(2, 6), "2 of 6 blocks were lost to it");
    }
}
