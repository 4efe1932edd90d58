//! One endpoint, or a weighted mix of several, measured without a study.

use crate::plan::{planned_point, workload_of};
use crate::registry::reached;
use proofload_engine::{DriverChoice, Extent, GeneratorSettings, LoadPlan, MixEntry, Target};
use proofload_facts::{Expected, Mistake};
use proofload_store::schema::SingleLoad;
use proofload_study::encode::Entry;
use proofload_study::transport::Material;
use proofload_study::{Asked, LoadPoint, ParsedUrl, Passage, RequestOptions, Speaks, parse_url_unresolved};

/// Most addresses in a mix.
const URLS_MAX: usize = 64;

/// How long the engine takes part in one measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct Terms {
    /// Load before the window.
    pub discard_ns: u64,
    /// When to stop; a load with a shape of its own stops with its shape.
    pub extent: Extent,
    /// How long to wait for what is in flight at the end.
    pub drain_ns: u64,
    pub workers: u32,
    /// What carries the bytes.
    pub driver: DriverChoice,
    /// Seed of everything random.
    pub seed: u64,
}

/// The load for `urls`, each an address, or `weight*address`.
///
/// # Errors
/// Every mistake in the addresses and the request.
pub fn load_plan(
    urls: &[String],
    request: &RequestOptions,
    load: &LoadPoint,
    terms: &Terms,
) -> Result<LoadPlan, Vec<Mistake>> {
    let mut problems = Vec::new();
    if urls.is_empty() || urls.len() > URLS_MAX {
        problems.push(Mistake::beyond(urls.len(), 1, URLS_MAX).at("URL"));
    }
    let material = material(urls, request).unwrap_or_else(|found| {
        problems.extend(found);
        None
    });
    let mut targets: Vec<Target> = Vec::new();
    let mut mix = Vec::new();
    let mut feeders = request.feeders(&mut problems);
    for text in urls {
        let (weight, url) = match weighted(text).and_then(|(weight, url)| Ok((weight, request.reached(url)?)))
        {
            Ok(parsed) => parsed,
            Err(problem) => {
                problems.push(problem);
                continue;
            }
        };
        let passage = request.transport.passage(&url, material.as_ref());
        let (target, speaks) = match passage.and_then(|passage| {
            let reached = reached(&passage, &url.address, &url.authority);
            reached.map_err(|error| Mistake::NotReached { error })
        }) {
            Ok(reached) => reached,
            Err(problem) if problems.contains(&problem) => continue,
            Err(problem) => {
                problems.push(problem);
                continue;
            }
        };
        let index = targets.iter().position(|known| *known == target).unwrap_or_else(|| {
            targets.push(target);
            targets.len() - 1
        });
        if let Some(asked) = request.asked(&mut feeders, &url, &mut problems) {
            match entry(weight, index, &url, &asked, request, &speaks) {
                Ok(entry) => mix.push(entry),
                Err(problem) => problems.push(problem),
            }
        }
    }
    if !problems.is_empty() {
        return Err(each_once(problems));
    }
    Ok(LoadPlan {
        mix,
        profile: load.profile.clone(),
        connections: connections(load, terms, targets.len() as u32),
        targets,
        in_flight: load.in_flight,
        keep_alive: load.keep_alive,
        timeouts: request.timeouts,
        discard_ns: terms.discard_ns,
        extent: load.extent().unwrap_or(terms.extent),
        drain_ns: terms.drain_ns,
        workers: terms.workers,
        cpus: Vec::new(),
        seed: terms.seed,
        share: (0, 1),
        asking: request.asking(feeders),
        shortage: load.open.shortage,
        driver: terms.driver,
        settings: GeneratorSettings::default(),
    })
}

/// Connections to begin with. Where the tool chooses them, each worker has the one to each target that it needs.
fn connections(load: &LoadPoint, terms: &Terms, targets: u32) -> u32 {
    match load.open.auto {
        true => load.connections.max(terms.workers.saturating_mul(targets)),
        false => load.connections,
    }
}

/// The same flag is wrong for every address.
fn each_once(problems: Vec<Mistake>) -> Vec<Mistake> {
    let mut told: Vec<Mistake> = Vec::new();
    for problem in problems {
        if !told.contains(&problem) {
            told.push(problem);
        }
    }
    told
}

/// What the files of certificates hold, if any address speaks TLS.
fn material(urls: &[String], request: &RequestOptions) -> Result<Option<Material>, Vec<Mistake>> {
    let parsed: Vec<ParsedUrl> = urls.iter().filter_map(|text| Some(weighted(text).ok()?.1)).collect();
    request.transport.material(&parsed.iter().collect::<Vec<_>>())
}

/// What connections to these addresses pass through, for the record: that of the first that is not plain. An address
/// that cannot be asked, for which there is no plan either, has none.
pub fn passage(urls: &[String], request: &RequestOptions) -> Option<Passage> {
    let material = material(urls, request).ok().flatten();
    let parsed = urls.iter().filter_map(|text| Some(weighted(text).ok()?.1));
    let mut passages = parsed.filter_map(|url| request.transport.passage(&url, material.as_ref()).ok());
    passages.find(|passage| passage.recorded().is_some())
}

/// What is asked and how, for the record. `load` and `terms` are those that `plan` was made of.
pub fn recorded(
    urls: &[String],
    request: &RequestOptions,
    load: &LoadPoint,
    terms: &Terms,
    plan: &LoadPlan,
) -> SingleLoad {
    let mut mistakes = Vec::new();
    let mut feeders = request.feeders(&mut mistakes);
    let mut entries = Vec::new();
    for (weight, url) in urls.iter().filter_map(|text| weighted(text).ok()) {
        let Some(asked) = request.asked(&mut feeders, &url, &mut mistakes) else { continue };
        entries.push(request.entry(url.name, weight, asked));
    }
    let shaped = load.extent().is_some();
    let (window_ns, requests) = match plan.extent {
        Extent::Requests { count, .. } => (0, count),
        Extent::DurationNs(_) if shaped => (0, 0),
        Extent::DurationNs(window_ns) => (window_ns, 0),
    };
    // Where the tool chooses the connections there may be more than the load begins with.
    let load = LoadPoint { connections: plan.connections.max(load.connections), ..load.clone() };
    SingleLoad {
        point: planned_point(&[], &load),
        workload: workload_of(&entries, &plan.asking),
        seed: terms.seed,
        driver: terms.driver.name().to_string(),
        workers: terms.workers,
        discard_ns: terms.discard_ns,
        window_ns,
        requests,
        connect_timeout_ns: request.timeouts.connect_ns,
        response_timeout_ns: request.timeouts.response_ns,
        ..SingleLoad::default()
    }
}

/// `3*http://…` is an address with weight 3.
fn weighted(text: &str) -> Result<(u32, ParsedUrl), Mistake> {
    let (weight, url) = match text.split_once('*') {
        Some((weight, url)) if weight.bytes().all(|b| b.is_ascii_digit()) => {
            (weight.parse().unwrap_or(0), url)
        }
        _ => (1, text),
    };
    if weight == 0 {
        return Err(Mistake::not(text, Expected::Weight, "3*http://host:port/path"));
    }
    Ok((weight, parse_url_unresolved(url)?))
}

fn entry(
    weight: u32,
    target: usize,
    url: &ParsedUrl,
    asked: &Asked,
    request: &RequestOptions,
    speaks: &Speaks,
) -> Result<MixEntry, Mistake> {
    let RequestOptions { expect, follow, .. } = request;
    let (spec, template) = (&asked.request, &asked.template);
    let entry = Entry { weight, request: spec, call: asked.call.as_ref(), template, expect, follow: *follow };
    entry.encode(target, &url.authority, speaks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofload_engine::KeepAlive;
    use proofload_engine::Profile;

    fn plan(urls: &[&str]) -> Result<LoadPlan, Vec<Mistake>> {
        let urls: Vec<String> = urls.iter().map(ToString::to_string).collect();
        let profile = Profile::Closed { think_ns: 0.into() };
        let load = LoadPoint::new("4c".into(), 4, profile, KeepAlive::On, Default::default());
        let terms = Terms {
            discard_ns: 0,
            extent: Extent::DurationNs(1),
            drain_ns: 0,
            workers: 1,
            driver: DriverChoice::Epoll,
            seed: 1,
        };
        load_plan(&urls, &RequestOptions::default(), &load, &terms)
    }

    #[test]
    fn addresses_of_one_server_share_a_target_and_weights_are_read() {
        let plan =
            plan(&["http://127.0.0.1:81/a", "3*http://127.0.0.1:81/b", "http://127.0.0.1:82/"]).unwrap();
        assert_eq!(plan.targets.len(), 2);
        let mix: Vec<_> = plan.mix.iter().map(|entry| (entry.weight, entry.target)).collect();
        assert_eq!(mix, [(1, 0), (3, 0), (1, 1)]);
        assert!(plan.mix[1].request.bytes.starts_with(b"GET /b HTTP/1.1\r\n"));
        assert!(plan.mix[0].closing_request.closes && !plan.mix[0].request.closes);
    }

    #[test]
    fn all_mistakes_are_told_at_once() {
        let problems = plan(&["0*http://127.0.0.1/", "ftp://127.0.0.1/", "http://127.0.0.1:1/"]).unwrap_err();
        assert_eq!(problems.len(), 2, "{problems:?}");
    }
}
