//! Figures of the servers' own where the generator was the limit of a closed loop: CPU cost of a request, and the
//! rate that one CPU would so carry. Seen in the record, and not claimed in advance.

use proofload_facts::{Fact, Interval, Limit, Reason as Why, Severity};
use proofload_stats::{Claim, FigureOf, Judged, Measure, Names, Reason, Side, Term, Verdict};
use proofload_store::schema::{Exploratory, Figure, Model, Plan};

/// One offer for each pair of variants and load point whose throughput stays open, wholly or to one side, for the generator.
pub(crate) fn limits(
    plan: &Plan,
    names: &Names,
    judged: (&[Claim], &[Judged]),
    exploratory: &[Exploratory],
    figures: &[Figure],
) -> Vec<Limit> {
    let mut offers: Vec<Limit> = Vec::new();
    for (claim, judged) in judged.0.iter().zip(judged.1) {
        let pair = pair_of(claim).filter(|_| is_of_the_generator(judged));
        let offer = pair.and_then(|pair| offer(plan, names, (claim, pair), exploratory, figures));
        let same = |known: &Limit, new: &Limit| match (known, new) {
            (
                Limit::ServersOwn { over, under, point, .. },
                Limit::ServersOwn { over: above, under: below, point: at, .. },
            ) => (over, under, point) == (above, below, at),
            _ => false,
        };
        // A comparison both ways has two claims of one pair.
        offers.extend(offer.filter(|new| !offers.iter().any(|known| same(known, new))));
    }
    offers
}

/// Two variants' throughputs under one load, where that is what is claimed.
fn pair_of(claim: &Claim) -> Option<[FigureOf; 2]> {
    let is_plain = |side: &Side| matches!(side, Side::Measured { term: Term::Of { .. }, .. });
    let [over, under] = claim.figures().collect::<Vec<_>>()[..] else { return None };
    let are_alike =
        (over.measure, over.point) == (under.measure, under.point) && over.variant != under.variant;
    let is_whole = over.stream.is_none() && under.stream.is_none();
    let is_it = is_plain(&claim.left) && is_plain(&claim.right) && are_alike && is_whole;
    (is_it && over.measure == Measure::Throughput).then_some([over, under])
}

/// True if a claim tells nothing, or only a lower end, because the generator was at its limit.
fn is_of_the_generator(judged: &Judged) -> bool {
    let any = |is: fn(&Reason) -> bool| judged.reasons.iter().any(is);
    any(|reason| matches!(reason, Reason::LimitedOnTheFasterSide))
        || judged.verdict == Verdict::Undecided
            && any(|reason| matches!(reason, Reason::ClientLimited { .. } | Reason::MayAccountFor { .. }))
}

fn offer(
    plan: &Plan,
    names: &Names,
    (claim, [over, under]): (&Claim, [FigureOf; 2]),
    exploratory: &[Exploratory],
    figures: &[Figure],
) -> Option<Limit> {
    let load = plan.points.get(over.point).filter(|load| load.model == Model::Closed)?;
    let name = |of: FigureOf| names.variants.get(of.variant).map(|variant| variant.name.as_str());
    let (over, under) = (name(over)?, name(under)?);
    let is_cost =
        |found: &&Exploratory| found.measure == Measure::CpuPerRequest.name() && found.point == load.label;
    let of = |above: &str, below: &str| {
        let mut costs = exploratory.iter().filter(is_cost);
        costs.find(|found| found.over == above && found.under == below)
    };
    let inverted = of(over, under).is_none();
    let found = of(over, under).or_else(|| of(under, over)).filter(|found| holds(found))?;
    let ratio = found.ratio.as_ref()?;
    let (point, low, high) = (ratio.point, ratio.low?, ratio.high?);
    let ends = if inverted { (1.0 / point, 1.0 / high, 1.0 / low) } else { (point, low, high) };
    if !(low > 0.0 && high.is_finite()) {
        return None;
    }
    let carried = |variant: &str| {
        let is_it = |figure: &&Figure| {
            (figure.variant.as_str(), &figure.point) == (variant, &load.label)
                && figure.measure == Measure::ThroughputPerCpu.name()
        };
        figures.iter().find(is_it)?.estimate.as_ref().map(|estimate| estimate.point)
    };
    Some(Limit::ServersOwn {
        over: over.to_string(),
        under: under.to_string(),
        point: load.label.clone(),
        cost: Interval { point: ends.0, low: ends.1, high: ends.2, unit: "ratio".to_string() },
        over_per_s: carried(over)?,
        under_per_s: carried(under)?,
        declare: claim.text.replace("throughput(", &format!("{}(", Measure::ThroughputPerCpu.name())),
    })
}

/// True if nothing speaks against the interval; the possible part of the generator is within it.
fn holds(found: &Exploratory) -> bool {
    let is_within = |why: &Why| why.severity() == Severity::Note || matches!(why, Why::MayAccountFor { .. });
    found.reasons.iter().all(is_within)
}
