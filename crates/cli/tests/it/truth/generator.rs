//! A generator at its limit: any difference it measures between two servers is its own.

use super::MS;
use super::bench::{BRIEF, SECONDS, conduct, study};
use proofload_facts::Reason;
use proofload_store::schema::{CheckOutcome, Point, RunResult, Verdict};
use proofload_testkit::sim::{Machine, Server, Service, Stall, World};
use std::thread;

/// Two null servers, of which the second is slower, seen by a generator on that machine.
fn seen_by(machine: Machine, load: &str, timing: &str, claim: &str) -> RunResult {
    let study = study(load, &format!("  - first is faster: {claim}\n"));
    conduct(&study, timing, |variant, start| {
        // Starts differ by a few percent, or there would be no spread to judge by.
        let service_ns = [5_000, 30_000][variant] + 10_000 + 100 * (start % 5);
        let server = Server { service: Service::Constant(service_ns), ..Server::default() };
        World::new(server, start).with_machine(machine)
    })
}

const CLOSED: &str = "{ closed: { connections: 4 } }";
const OPEN: &str = "{ open: { rate: 1k/s, connections: 64 } }";
const MORE: &str = "throughput(seed=1) > throughput(seed=2)";
/// Almost all requests are sent on time and all are answered: only times are affected by the generator.
const SOONER: &str = "mean(seed=1) < mean(seed=2)";

/// True if the figure is the generator's, or may be in part.
fn is_of_generator(reason: &Reason) -> bool {
    matches!(reason, Reason::ClientLimited { .. } | Reason::MayAccountFor { .. } | Reason::Widened { .. })
}

#[test]
fn truth_08_what_a_limited_generator_saw_gives_no_verdict() {
    // One thread that works 40 µs on an exchange, against 15 µs of the server.
    let one_thread = Machine { handle_cost_ns: 20_000, send_cost_ns: 20_000, ..Machine::default() };
    // A fifth of a CPU, as a group of processes with a quota gets it: 20 ms in each 100 ms.
    let quota = Stall { every_ns: 100 * MS, for_ns: 80 * MS };
    let a_fifth = Machine { handle_cost_ns: 2_000, stall: Some(quota), ..Machine::default() };
    // Pauses of 15 ms, as of a garbage collector of its own.
    let pause = Stall { every_ns: 200 * MS, for_ns: 15 * MS };
    let pausing = Machine { handle_cost_ns: 2_000, stall: Some(pause), ..Machine::default() };
    let fit = Machine { handle_cost_ns: 100, ..Machine::default() };
    let (fit, limited) = thread::scope(|scope| {
        let limited = [
            ("one thread", scope.spawn(|| seen_by(one_thread, CLOSED, BRIEF, MORE))),
            ("20 % of a CPU", scope.spawn(|| seen_by(a_fifth, OPEN, SECONDS, MORE))),
            ("pauses", scope.spawn(|| seen_by(pausing, OPEN, SECONDS, SOONER))),
        ];
        let fit = seen_by(fit, CLOSED, BRIEF, MORE);
        (fit, limited.map(|(how, seen)| (how, seen.join().expect("a study that ended"))))
    });
    let verdicts: Vec<String> =
        limited.iter().map(|(how, result)| format!("{how}: {}", told(result))).collect();
    println!(
        "truth 08 | null servers of 15 and 40 µs, seen by a generator that is limited: one thread at its limit, 20 % of a \
         CPU, pauses | client-limited, no verdict; a fit one finds the faster | {}; fit: {}",
        verdicts.join("; "),
        told(&fit)
    );
    for (how, result) in &limited {
        let claim = &result.claims[0];
        assert_eq!(claim.verdict, Verdict::Undecided, "{how}: {claim:?}");
        assert!(claim.reasons.iter().any(is_of_generator), "{how}: {claim:?}");
        let failed =
            |point: &Point| point.generator.checks.iter().any(|check| check.outcome == CheckOutcome::Failed);
        assert!(result.points.iter().any(failed), "{how}: a figure of a server");
    }
    assert_eq!(fit.claims[0].verdict, Verdict::Supported, "{:?}", fit.claims[0]);
}

fn told(result: &RunResult) -> String {
    let claim = &result.claims[0];
    let limited = claim.reasons.iter().any(is_of_generator);
    format!("{}{}", claim.verdict, if limited { ", client-limited" } else { "" })
}
