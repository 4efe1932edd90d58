//! What is broken, and which tests must notice.

/// One way to break the method.
#[derive(Clone, Copy, Debug)]
pub struct Mutation {
    /// What it does, as it stands in the table.
    pub name: &'static str,
    /// The file, from the root of the repository.
    pub file: &'static str,
    /// What stands there exactly once.
    pub from: &'static str,
    /// What stands there instead.
    pub to: &'static str,
    /// Arguments of `cargo test`, of which at least one test must fail.
    pub tests: &'static [&'static str],
}

const GUARD: &str = "crates/stats/src/judge/guard.rs";
const FLAWS: &str = "crates/stats/src/judge/flaws.rs";
const EVALUATE: &str = "crates/stats/src/judge/evaluate.rs";
const RECORDER: &str = "crates/measure/src/recorder.rs";

const STALL: &[&str] = &["-p", "proofload-engine", "--test", "it", "sim::stall"];
const JUDGE: &[&str] = &["-p", "proofload-stats", "--lib", "judge::"];
const RUNNER: &[&str] = &["-p", "proofload-lab", "--lib", "runner::"];

/// All of them.
pub const MUTATIONS: &[Mutation] = &[
    Mutation {
        name: "order: every cycle as the one before instead of reversed",
        file: "crates/lab/src/plan/order.rs",
        from: "Some(previous) if cycle % 2 == 1 => out.push(reversed(previous)),",
        to: "Some(previous) if cycle % 2 == 1 => out.push(previous.clone()),",
        tests: &["-p", "proofload-lab", "--lib", "plan::order::"],
    },
    Mutation {
        name: "order: turns taken in another order than the plan's",
        file: "crates/lab/src/runner/mod.rs",
        from: "for (position, &variant) in turns.iter().enumerate() {",
        to: "for (position, &variant) in turns.iter().rev().enumerate() {",
        tests: RUNNER,
    },
    Mutation {
        name: "planned time dropped: response time from the actual send",
        file: RECORDER,
        from: "s.response_time.record(times.end_ns.saturating_sub(times.intended_ns));",
        to: "s.response_time.record(times.end_ns.saturating_sub(sent_ns));",
        tests: &["-p", "proofload-engine", "--test", "it", "truth_05"],
    },
    Mutation {
        name: "error pages counted as throughput",
        file: RECORDER,
        from: "if outcome == Outcome::Answered\n            && times.end_ns >= self.window.start_ns",
        to: "if outcome != Outcome::Unsent\n            && times.end_ns >= self.window.start_ns",
        tests: &["-p", "proofload-measure"],
    },
    Mutation {
        name: "slices pooled as if each were a start",
        file: EVALUATE,
        from: "bounds.for_blocks(moments.n, progress.open) * moments.standard_error()",
        to: "bounds.for_blocks(moments.n, progress.open) * moments.standard_error() / 6.0_f64.sqrt()",
        tests: &["-p", "proofload-stats", "--test", "it", "truth_04"],
    },
    Mutation {
        name: "peeking: the plain critical value at every look",
        file: EVALUATE,
        from: "bounds.for_blocks(moments.n, progress.open) * moments.standard_error()",
        to: "crate::student::critical(0.05, moments.n - 1) * moments.standard_error()",
        tests: &["-p", "proofload-stats", "--test", "it", "truth_15"],
    },
    Mutation {
        name: "several claims, each at the whole error rate",
        file: EVALUATE,
        from: "bounds.for_blocks(moments.n, progress.open) * moments.standard_error()",
        to: "bounds.for_blocks(moments.n, 1) * moments.standard_error()",
        tests: &["-p", "proofload-stats", "--test", "it", "several_claims"],
    },
    Mutation {
        name: "guard off: the generator was unfit",
        file: EVALUATE,
        from: "guards.splice(..0, flaws.limits.iter().cloned());",
        to: "guards.splice(..0, flaws.limits.iter().take(0).cloned());",
        tests: JUDGE,
    },
    Mutation {
        name: "a generator at its limit on one side spoils no decision",
        file: "crates/stats/src/judge/evaluation.rs",
        from: "Some(decided) if decided == standing =>",
        to: "Some(_) =>",
        tests: JUDGE,
    },
    Mutation {
        name: "what a limited generator may have raised stands like what it can only have lowered",
        file: FLAWS,
        from: "(false, None) => Worth::Nothing,",
        to: "(false, None) => Worth::Bounded(Bound::AtLeast),",
        tests: JUDGE,
    },
    Mutation {
        name: "one bad slice makes a block unfit",
        file: "crates/store/src/merge.rs",
        from: "unfit * 2 > slices(",
        to: "unfit * 8 > slices(",
        tests: &["-p", "proofload-store", "--test", "it"],
    },
    Mutation {
        name: "any number of blocks that the generator spoiled is left out",
        file: "crates/stats/src/judge/series.rs",
        from: "let few = spoiled > 0 && f64::from(spoiled) <=",
        to: "let few = spoiled > 0 && 0.0 * f64::from(spoiled) <=",
        tests: JUDGE,
    },
    Mutation {
        name: "a cycle beside an idle variant that was busy counts",
        file: "crates/store/src/observe.rs",
        from: "slice.is_measured() && !slice.marks.is_empty()",
        to: "slice.is_measured() && slice.marks.len() > 9",
        tests: &["-p", "proofload-store", "--test", "it"],
    },
    Mutation {
        name: "lateness lengthens the times of every load",
        file: "crates/store/src/observe.rs",
        from: "*model == Model::Open && *unsent == 0",
        to: "*unsent == 0",
        tests: &["-p", "proofload-store", "--test", "it"],
    },
    Mutation {
        name: "time that the generator slept through is waiting",
        file: "crates/engine/src/record.rs",
        from: "self.away_ns += if away_ns > SEND_DELAY_NS { away_ns } else { 0 };",
        to: "self.away_ns += 0;",
        tests: STALL,
    },
    Mutation {
        name: "what fell due while the generator slept waited for the server",
        file: "crates/engine/src/worker/open_queue.rs",
        from: "if one.lapse.contains(&due_ns) { one.lapse.end - due_ns } else { 0 }",
        to: "if one.lapse.contains(&due_ns) { 0 } else { 0 }",
        tests: STALL,
    },
    Mutation {
        name: "long delays of the generator lengthen no tail",
        file: "crates/engine/src/health.rs",
        from: "times.quantile_ns(q * (1.0 - spoiled))? as f64",
        to: "times.quantile_ns(q)? as f64",
        tests: &["-p", "proofload-engine", "--lib", "health::"],
    },
    Mutation {
        name: "intervals know nothing of what the generator lengthened",
        file: EVALUATE,
        from: "mean - half - below, mean + half + above",
        to: "mean - half, mean + half",
        tests: JUDGE,
    },
    Mutation {
        name: "guard off: a server died under load",
        file: GUARD,
        from: ".filter(|_| start.block <= begun)",
        to: ".filter(|_| start.block > begun)",
        tests: JUDGE,
    },
    Mutation {
        name: "a limited generator excuses errors that were seen",
        file: "crates/stats/src/judge/fact.rs",
        from: "if permanent {",
        to: "if permanent && guards.is_empty() {",
        tests: JUDGE,
    },
    Mutation {
        name: "errors of blocks that a variant did not get through are forgotten",
        file: "crates/stats/src/judge/fact.rs",
        from: "start.block <= progress.begun",
        to: "start.block > progress.begun",
        tests: JUDGE,
    },
    Mutation {
        name: "lower ends decide like values",
        file: FLAWS,
        from: "unfit.and(if cell.at_least {",
        to: "unfit.and(if cell.at_least && cell.block == 0 {",
        tests: JUDGE,
    },
    Mutation {
        name: "what was never answered is no error",
        file: "crates/measure/src/outcome.rs",
        from: "!matches!(self, Outcome::Unsent)\n",
        to: "!matches!(self, Outcome::Unsent | Outcome::Unanswered)\n",
        tests: &["-p", "proofload-measure"],
    },
    Mutation {
        name: "what was never answered has no rank among response times",
        file: RECORDER,
        from: "if outcome.is_unended() {",
        to: "if outcome == Outcome::Timeout {",
        tests: &["-p", "proofload-engine", "--test", "it", "sim::pace"],
    },
    Mutation {
        name: "a generator that fell behind blames the server",
        file: "crates/engine/src/health.rs",
        from: "let lacks = behind as f64 > UNSENT_SHARE * intended as f64;",
        to: "let lacks = behind > intended;",
        tests: &["-p", "proofload-engine", "--test", "it", "sim::shortage"],
    },
    Mutation {
        name: "a limited generator lowers the throughput of every load",
        file: "crates/store/src/observe.rs",
        from: "measured.model == Model::Closed && !measured",
        to: "!measured",
        tests: &["-p", "proofload-store", "--test", "it"],
    },
    Mutation {
        name: "guard off: too many errors",
        file: GUARD,
        from: "reasons.extend(errors(series, blocks));",
        to: "reasons.extend(errors(series, blocks).into_iter().take(0));",
        tests: JUDGE,
    },
    Mutation {
        name: "guard off: too many blocks lost",
        file: GUARD,
        from: "reasons.extend(lost(series, blocks, begun));",
        to: "reasons.extend(lost(series, blocks, begun).into_iter().take(0));",
        tests: JUDGE,
    },
    Mutation {
        name: "guard off: one variant lost more often than another",
        file: GUARD,
        from: "reasons.extend(unevenly(series, blocks, begun));",
        to: "reasons.extend(unevenly(series, blocks, begun).into_iter().take(0));",
        tests: JUDGE,
    },
    Mutation {
        name: "guard off: a quantile that some start hardly saw",
        file: GUARD,
        from: "reasons.extend(unresolved(series, blocks));",
        to: "reasons.extend(unresolved(series, blocks).into_iter().take(0));",
        tests: JUDGE,
    },
    Mutation {
        name: "guard off: no steady state",
        file: GUARD,
        from: "reasons.extend(unsteady(series, blocks));",
        to: "reasons.extend(unsteady(series, blocks).into_iter().take(0));",
        tests: JUDGE,
    },
    Mutation {
        name: "guard off: most blocks disturbed",
        file: GUARD,
        from: "reasons.extend(disturbed(blocks, beside));",
        to: "reasons.extend(disturbed(blocks, beside).into_iter().take(0));",
        tests: JUDGE,
    },
    Mutation {
        name: "guard off: the halves of the study disagree",
        file: GUARD,
        from: "reasons.extend(halves(frame));",
        to: "reasons.extend(halves(frame).into_iter().take(0));",
        tests: JUDGE,
    },
    Mutation {
        name: "guard off: Hodges–Lehmann points the other way",
        file: GUARD,
        from: "reasons.extend((!frame.agrees(mean, centre)).then_some(Reason::SignsDisagree));",
        to: "reasons.extend((!frame.agrees(mean, centre)).then_some(Reason::SignsDisagree).into_iter().take(0));",
        tests: JUDGE,
    },
    Mutation {
        name: "disturbed blocks not seen: steal",
        file: "crates/store/src/fitness.rs",
        from: "*share > STEAL_SHARE;",
        to: "*share > 100.0 * STEAL_SHARE;",
        tests: RUNNER,
    },
    Mutation {
        name: "self-checks of the generator not heard by the judge",
        file: "crates/store/src/observe.rs",
        from: "let unfit = unfit(&lines);",
        to: "let unfit = unfit(&lines[..0]);",
        tests: &["-p", "proofload-cli", "--test", "it", "truth_08"],
    },
    Mutation {
        name: "an answer that depends on a condition of measuring is judged as if it did not",
        file: "crates/stats/src/judge/evaluate.rs",
        from: "Some(_) if self.depends.differ() => {}",
        to: "Some(_) if false => {}",
        tests: JUDGE,
    },
    Mutation {
        name: "no condition of measuring is ever found to matter",
        file: "crates/stats/src/dependence.rs",
        from: "if found > tail(open.len() as u32) {",
        to: "if found >= 0.0 {",
        tests: JUDGE,
    },
    Mutation {
        name: "a claim is closed although a condition is suspected",
        file: "crates/stats/src/judge/evaluate.rs",
        from: "&& !finding.depends.suspected {",
        to: "{",
        tests: &["-p", "proofload-stats", "--test", "it", "conditions::"],
    },
    Mutation {
        name: "conditions of measuring are not balanced over the blocks",
        file: "crates/lab/src/plan/conditions.rs",
        from: "(2, Some(before)) => 1 - before[at],",
        to: "(2, Some(before)) => before[at],",
        tests: &["-p", "proofload-lab", "--lib", "plan::"],
    },
    Mutation {
        name: "blocks are not measured under their conditions",
        file: "crates/lab/src/runner/mod.rs",
        from: "self.bench.adopt(&Manner::of(self.plan, number));",
        to: "self.bench.adopt(&Manner::of(self.plan, 1));",
        tests: RUNNER,
    },
    Mutation {
        name: "warm-up: compilers may be at work when it ends",
        file: "crates/stats/src/steady.rs",
        from: "self.held > needed && evaluation.quiet && evaluation.is_known()",
        to: "self.held > needed && evaluation.is_known()",
        tests: &["-p", "proofload-stats", "--lib", "steady::"],
    },
    Mutation {
        name: "warm-up: a throughput that still grows is not looked at",
        file: "crates/stats/src/steady.rs",
        from: "self.cpu.together && self.throughput.together",
        to: "self.cpu.together",
        tests: &["-p", "proofload-stats", "--lib", "steady::"],
    },
    Mutation {
        name: "guard off: absolute values of servers that are still warming",
        file: "crates/stats/src/judge/series.rs",
        from: "&& (is_absolute || !start.shared)",
        to: "&& (is_absolute && !start.shared || !start.shared)",
        tests: JUDGE,
    },
    Mutation {
        name: "warm-up: the generator's CPUs are not given back",
        file: "crates/lab/src/runner/warm.rs",
        from: "self.gather(number, &spread, participants)?;",
        to: "",
        tests: RUNNER,
    },
    Mutation {
        name: "slices shorter than the answers allow",
        file: "crates/store/src/slicing.rs",
        from: "SLICE_MIN_NS.max(p99_ns.saturating_mul(SLICE_P99))",
        to: "SLICE_MIN_NS.max(p99_ns)",
        tests: &["-p", "proofload-store", "--lib", "slicing::"],
    },
];
