//! Why a verdict is what it is.

use super::blocks;
use crate::number;
use proofload_stats::{Judged, Names, Reason, Source, TAIL_EXCHANGES_MIN};

/// Why a verdict is what it is.
pub fn reasons(judged: &Judged, names: &Names, seconds_per_block: f64) -> Vec<String> {
    let unit = judged.estimate.map_or("ratio", |estimate| estimate.unit);
    let mut said: Vec<String> = judged.reasons.iter().map(|reason| why(reason, names, unit)).collect();
    if let Some(projection) = judged.projection.filter(|_| judged.reasons.iter().any(is_few)) {
        let minutes = f64::from(projection.blocks) * seconds_per_block / 60.0;
        let basis = if projection.assumed {
            "if the spread between blocks is usual"
        } else {
            "at the spread seen so far"
        };
        said.push(format!(
            "±{:.0} % would take about {}, {minutes:.0} minutes, {basis}",
            projection.resolution * 100.0,
            blocks(projection.blocks),
        ));
    }
    said
}

fn is_few(reason: &Reason) -> bool {
    matches!(reason, Reason::TooFewBlocks { .. } | Reason::NoData)
}

const LIMITED_ON_THE_FASTER_SIDE: &str =
    "the generator was the limit of the faster side alone: the difference is at least what was seen";

const ONLY_LENGTHENED: &str = "the generator was late with some requests, and sent them all: that only lengthens times, so the decision stands";

/// One reason; `unit` is that of the estimate.
pub(crate) fn why(reason: &Reason, names: &Names, unit: &str) -> String {
    let variant = |index: &usize| names.variants.get(*index).map_or("?", |variant| variant.name.as_str());
    match reason {
        Reason::NoData => "no complete block: nothing to judge".into(),
        Reason::TooFewBlocks { have: 1, .. } => {
            "one block: a single start of the servers decides nothing".into()
        }
        Reason::TooFewBlocks { have, need } => {
            format!("{} so far, the next look is at {need}", blocks(*have))
        }
        Reason::IntervalCrosses { resolution, more_blocks } => {
            let more = match more_blocks {
                Some(n) => format!("about {} more would settle it", blocks(*n)),
                None => "no number of blocks in reach would settle it".into(),
            };
            format!("the interval allows both; the resolution is ±{}; {more}", number::percent(*resolution))
        }
        Reason::ClientLimited { what } => format!("client-limited: {what}"),
        Reason::LimitedOnTheFasterSide => LIMITED_ON_THE_FASTER_SIDE.into(),
        Reason::OnlyLengthened => ONLY_LENGTHENED.into(),
        Reason::TooFewSittings { .. } | Reason::SittingsCross { .. } | Reason::WidenedBySittings { .. } => {
            of_sittings(reason)
        }
        Reason::Widened { share } => super::widened(*share),
        Reason::Unended { measure, variant: index, unanswered, unsent } => {
            super::lower_end(&measure.name(), variant(index), *unanswered, *unsent)
        }
        Reason::Errors { variant: index, share } => format!(
            "{} of the exchanges of {} failed; above 0.1 % no claim about speed is judged",
            number::percent(*share),
            variant(index)
        ),
        Reason::SignsDisagree => "the Hodges–Lehmann estimate points the other way".into(),
        Reason::LostUnevenly { variant: index, lost, other, of } => format!(
            "{} was lost in {lost} of {}, another in {other}: what is left of it may be its better starts",
            variant(index),
            blocks(*of)
        ),
        Reason::HalvesDiffer { first, second, errors, allowed } => {
            halves_differ(*first, *second, *errors, *allowed, unit)
        }
        Reason::SliceLength { ratio, blocks: n } => super::slice_length(*ratio, &blocks(*n)),
        Reason::Futile { last, chance } => format!(
            "closed early: as it stands, the probability that {} would settle it is {}",
            blocks(*last),
            number::percent(chance.max(0.000_1))
        ),
        Reason::SpoiledBlocks { .. } | Reason::BlocksLost { .. } | Reason::Disturbed { .. } => {
            of_blocks(reason)
        }
        Reason::NotMeasured { measure, variant: index, point, stream, blocks: n } => format!(
            "{}{}({}) @ {} has no value in {}{}",
            measure.name(),
            stream.and_then(|at| names.streams.get(at)).map_or_else(String::new, |name| format!("[{name}]")),
            variant(index),
            names.points.get(*point).map_or("?", String::as_str),
            blocks(*n),
            needs(measure.source())
        ),
        Reason::NotResolvable { measure, variant: index, beyond } => {
            super::unresolved(&measure.name(), variant(index), *beyond, TAIL_EXCHANGES_MIN)
        }
        Reason::NoSteadyState { blocks: n, of, per_10s } => {
            super::no_steady_state(*n, &blocks(*of), *per_10s)
        }
        Reason::BeyondWarmUp { blocks: n, of, share } => super::beyond_warm_up(*n, &blocks(*of), *share),
        Reason::Constant => "constant over all blocks, compared exactly".into(),
        Reason::OneMeasurement => "one measurement, no interval: says only what was seen".into(),
        Reason::SeenOnly { exchanges, upper, starts, upper_starts } => {
            super::seen_only(*exchanges, *upper, *starts, *upper_starts)
        }
        Reason::InLostBlocks { .. }
        | Reason::OwnErrors { .. }
        | Reason::Died { .. }
        | Reason::FailsTooOften { .. } => of_errors(reason, names),
        Reason::DependsOn { .. } => super::depends_on(reason, names),
        _ => "for a reason that this version has no words for".into(),
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
        Reason::SpoiledBlocks { blocks: n, of } => format!(
            "the generator was unfit in {n} of {}, which are left out for all variants alike",
            blocks(*of)
        ),
        Reason::BlocksLost { lost, of } => {
            let were = if *lost == 1 { "was" } else { "were" };
            format!("{lost} of {} {were} lost to it", blocks(*of))
        }
        Reason::Disturbed { blocks: n, of } => format!(
            "the machine disturbed {n} of {} (steal, or a lower clock frequency), and what is left is not judged; \
             run it where it has the machine to itself",
            blocks(*of)
        ),
        _ => String::new(),
    }
}

/// Where errors come from that are not the usual ones.
fn of_errors(reason: &Reason, names: &Names) -> String {
    let variant = |index: &usize| names.variants.get(*index).map_or("?", |variant| variant.name.as_str());
    match reason {
        Reason::Died { variant: index, what } => format!("{} died under load: {what}", variant(index)),
        Reason::OwnErrors { errors } => format!(
            "{} errors are of the generator's own making: no port, descriptor or memory was left, or a fault of Proofload",
            number::count(*errors)
        ),
        Reason::FailsTooOften { share, .. } => {
            format!("{} errors: above 0.1 % no threshold on speed is met", number::percent(*share))
        }
        Reason::InLostBlocks { errors } => {
            format!("{} of them in blocks that it did not get through", number::count(*errors))
        }
        _ => String::new(),
    }
}

fn halves_differ(first: f64, second: f64, errors: f64, allowed: f64, unit: &str) -> String {
    let value = |value: f64| match unit {
        "ratio" => format!("{value:.0$}", number::ratio_decimals((first - second).abs())),
        _ => number::with_unit(value, unit),
    };
    format!(
        "the first half of the blocks shows {}, the second {}: {} standard errors apart, and chance explains \
         {allowed:.1}; something changed in between",
        value(first),
        value(second),
        number::plain(errors),
    )
}

/// What a subject must have to have a value.
fn needs(source: Source) -> &'static str {
    match source {
        Source::Process => ": it needs processes that Proofload started and may look into",
        Source::Workers => {
            ": it needs at least two threads of one name that used CPU time, those that a JVM runs for itself left out"
        }
        Source::Sockets | Source::Machine => ": it needs a subject that Proofload started",
        Source::Backend => {
            ": no connection between the subject's own processes was seen, or too many of them came and went between two looks"
        }
        Source::Jvm => {
            ": it comes from a JVM's performance data, and no such JVM is among the subject's processes"
        }
        Source::Collections => ": it needs a JVM in which there was a garbage collection",
        Source::FullCollections => {
            ": it needs a JVM whose collector counts full collections apart, as Serial, Parallel and G1 do"
        }
        Source::Generations => ": it needs a JVM whose collector has generations",
        Source::Locks => {
            ": it needs a JVM that counts contended locks, as JDK 17 does and JDK 25 does not, or count_locks: true of a Java subject of the catalogue"
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
