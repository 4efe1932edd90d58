//! Several exchanges on a connection, and what a session does of its own accord.

mod endings;
mod flow;
mod handshake;
mod one_way;
pub mod provider;
mod server;
mod totals;

use super::*;
use proofload_wire::{Call as Spec, Protocol, Request, Text, Value, dubbo};
use provider::{Act, Call, Provider};

/// The text of a good answer.
const HELLO: Act = Act::Text("hello");

/// An entry of the mix that sends this request, as the last of its connection too.
fn asking(request: Request) -> MixEntry {
    let closing_request = Arc::new(Request { closes: true, ..request.clone() });
    MixEntry { request: Arc::new(request), closing_request, ..entry(1, 0, 0) }
}

/// A call of Dubbo with one text as argument.
fn call(argument: Value, options: &dubbo::Options) -> MixEntry {
    let spec = Spec {
        interface: "lab.Echo".to_owned(),
        method: "echo".to_owned(),
        parameter_types: vec!["java.lang.String".to_owned()],
        return_type: "java.lang.String".to_owned(),
        arguments: vec![argument],
        ..Spec::default()
    };
    asking(dubbo::encode(&spec, options).unwrap())
}

/// A closed loop of Dubbo for a second.
pub fn dubbo_plan(connections: u32, in_flight: u32) -> LoadPlan {
    LoadPlan {
        targets: vec![Target { protocol: Protocol::Dubbo, ..target() }],
        mix: vec![call("x".into(), &dubbo::Options::default())],
        connections,
        in_flight,
        ..closed()
    }
}

/// A load of `count` calls.
pub fn calls(count: u64, plan: LoadPlan) -> LoadPlan {
    LoadPlan { extent: Extent::Requests { count, cap_ns: 1_000 * SECOND }, ..plan }
}

/// A call that draws its text: 0, 1, 2 and so on.
fn counting(plan: LoadPlan) -> LoadPlan {
    use proofload_engine::Asking;
    use proofload_engine::feed::{Draw, Feed, Feeder, Filter};
    let feed = Feed {
        feeders: vec![Feeder::Counter { from: 0, step: 1 }],
        draws: vec![Draw::Value { feeder: 0, column: None, filter: Filter::Raw }],
        ..Feed::default()
    };
    let mix = vec![call(Value::Text(Text::Drawn(0)), &dubbo::Options::default())];
    LoadPlan { asking: Asking { feed, ..Asking::default() }, mix, ..plan }
}

fn bad(result: &LoadResult, outcome: Outcome) -> String {
    let bad = result.bad_answers.iter().find(|bad| bad.outcome == outcome);
    bad.map(|bad| bad.what.clone()).unwrap_or_default()
}

/// Counts of each kind, without the kinds that did not occur.
fn outcomes(result: &LoadResult) -> Vec<(Outcome, u64)> {
    let all = Outcome::ALL.into_iter().map(|outcome| (outcome, count(result, outcome)));
    all.filter(|(_, count)| *count > 0).collect()
}
