//! Several loads that run at once: each with its own workload and its own pace.

use super::field::Field;
use super::keys::{Kind, keys};
use super::load::{LOAD, check_load};
use super::mix::{WORKLOAD, check_workload};
use super::model::{Journeys, Stream, WorkloadEntry};
use super::name::{PLAIN, bad_name, is_plain_name};
use super::points::Points;
use super::request_defaults::Shared;
use super::shape::LoadPoint;
use proofload_engine::Extent;
use proofload_facts::{Mistake, Thing};

/// Most streams: each has threads of its own.
pub(super) const STREAMS_MAX: usize = 8;

keys! {
    /// One of several loads that run at once.
    STREAM {
        /// Requests of the stream, by name.
        required workload: WORKLOAD,
        /// Load of the stream; at most one stream has a ladder.
        required load: Kind::One(&LOAD),
    }
}

const FORM: &str = "streams: { fast: { workload: { ... }, load: { ... } }, slow: { ... } }";

/// Workload and load; parts that could not be read are left out.
#[derive(Default)]
pub(super) struct Asked {
    pub(super) workload: Option<Vec<WorkloadEntry>>,
    pub(super) journeys: Option<Journeys>,
    pub(super) streams: Vec<Stream>,
    pub(super) points: Option<Points>,
}

pub(super) fn check_streams(field: &Field<'_>, shared: &Shared<'_>) -> Asked {
    let mut asked = Asked::default();
    let Some(entries) = field.entries(FORM) else { return asked };
    if !(2..=STREAMS_MAX).contains(&entries.len()) {
        field.problem(Mistake::beyond(entries.len(), 2, STREAMS_MAX));
        return asked;
    }
    let mut workload = Some(Vec::new());
    let mut loads: Vec<Option<Points>> = Vec::new();
    for (entry, field) in &entries {
        if !is_plain_name(&entry.key) {
            field.sink.add(entry.place, &field.path, bad_name(Thing::Stream, &entry.key, PLAIN));
        }
        let (entries, points) = check_stream(field, shared);
        loads.push(points);
        let begin = workload.as_ref().map_or(0, Vec::len);
        workload = workload.zip(entries).map(|(mut all, entries)| {
            all.extend(entries);
            all
        });
        let end = workload.as_ref().map_or(begin, Vec::len);
        asked.streams.push(Stream { name: entry.key.clone(), entries: begin..end });
    }
    asked.workload = workload;
    asked.points = together(field, loads);
    asked
}

fn check_stream(field: &Field<'_>, shared: &Shared<'_>) -> (Option<Vec<WorkloadEntry>>, Option<Points>) {
    let Some(map) = field.map("{ workload: { ... }, load: { ... } }") else { return (None, None) };
    let workload = map.required("workload", "workload: { page: { get: / } }");
    let load = map.required("load", "load: { closed: { connections: 64 } }");
    map.close();
    let points = load.and_then(|field| {
        let points = check_load(&field, shared)?;
        if points.capacity.is_some() {
            field.problem(Mistake::SearchAlone);
            return None;
        }
        let counted = |point: &LoadPoint| matches!(point.end, Some(Extent::Requests { .. }));
        if points.points.iter().any(counted) {
            field.problem(Mistake::CountedStream);
            return None;
        }
        Some(points)
    });
    (workload.and_then(|field| check_workload(&field, shared)), points)
}

/// One load point for each rung of the one ladder that there may be.
fn together(field: &Field<'_>, loads: Vec<Option<Points>>) -> Option<Points> {
    let loads: Vec<Points> = loads.into_iter().collect::<Option<_>>()?;
    let ladders: Vec<usize> = (0..loads.len()).filter(|&at| loads[at].points.len() > 1).collect();
    if ladders.len() > 1 {
        field.problem(Mistake::SeveralLadders);
        return None;
    }
    let rungs = ladders.first().map_or(1, |&at| loads[at].points.len());
    let points = (0..rungs).filter_map(|rung| {
        let one = |load: &Points| load.points.get(if load.points.len() > 1 { rung } else { 0 }).cloned();
        let streams: Vec<LoadPoint> = loads.iter().map(one).collect::<Option<_>>()?;
        let label = match ladders.first() {
            Some(&at) => streams[at].label.clone(),
            None => streams.iter().map(|load| load.label.as_str()).collect::<Vec<_>>().join("+"),
        };
        let first = streams.first()?;
        let connections = streams.iter().map(|load| load.connections).sum();
        let together = LoadPoint::new(connections, first.profile.clone(), first.keep_alive, first.open);
        let (end, trace) = (first.end, first.trace.clone());
        Some(LoadPoint { label, streams, end, trace, ..together })
    });
    let points = points.collect();
    let labels_complete = loads.iter().all(|load| load.labels_complete);
    Some(Points { points, labels_complete, capacity: None })
}
