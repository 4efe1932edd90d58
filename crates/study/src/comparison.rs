//! A study made of addresses or commands: `proofload compare URL URL`, `proofload capacity URL`.

use super::bind::cannot_bind;
use super::claims::CLAIMS_MAX;
use super::command::READY_WITHIN_NS;
use super::model::{CapacityLoad, Study, SubjectSpec, Variant};
use super::name::is_level;
use super::options::RequestOptions;
use super::parse::names;
use super::problem::{Place, Problems, Sink, shown};
use super::shape::LoadPoint;
use super::transport::Passage;
use super::url::{ParsedUrl, parse_url_unresolved};
use proofload_facts::{Expected, Mistake, Thing};
use proofload_stats::{Claim, Names, parse_claim};
use std::collections::BTreeMap;

/// Most servers of a comparison.
const URLS_MAX: usize = 8;

/// Within which share servers are called alike.
const ALIKE: &str = "5%";

/// A study that compares servers that already run, or that commands start: what has a `{port}` or a space in it is a command.
/// Addresses are named by host and port where these tell them apart and can stand in a claim, else they are `a`, `b`, … like
/// commands, which are asked for `path`. Without claims the first server is compared with each of the others, both ways.
///
/// # Errors
/// All mistakes at once: addresses that are none, paths that differ, commands without a port, claims that cannot be read.
pub fn comparison(
    servers: &[String],
    path: &str,
    request: RequestOptions,
    load: LoadPoint,
    claims: &[(String, String)],
) -> Result<Study, Problems> {
    let sink = Sink::new("command line");
    if !(2..=URLS_MAX).contains(&servers.len()) {
        sink.add(Place::default(), "URL", Mistake::beyond(servers.len(), 2, URLS_MAX));
    }
    let commands: Vec<Option<Vec<String>>> = servers.iter().map(|text| command_of(text, &sink)).collect();
    // A command is asked like a server on this machine.
    let local = format!("http://localhost:1{}{path}", if path.starts_with('/') { "" } else { "/" });
    let address = |(text, command): (&String, &Option<Vec<String>>)| match command {
        Some(_) => local.clone(),
        None => text.clone(),
    };
    let urls: Vec<String> = servers.iter().zip(&commands).map(address).collect();
    let Some(mut study) = of_addresses(&urls, &request, load, &sink) else {
        return Err(sink.into_problems());
    };
    for (variant, command) in study.variants.iter_mut().zip(commands) {
        if let Some(args) = command {
            variant.subject = started_by(args);
        }
    }
    let mut declared = claims.to_vec();
    if let ([], [first, others @ ..]) = (claims, study.variants.as_slice()) {
        declared.extend(others.iter().flat_map(|other| both_ways(&first.name, &other.name)));
        study.two_sided = true;
    }
    study.claims = expand(&declared, &study.names, &sink);
    study.declared_claims = declared;
    if sink.is_empty() { Ok(study) } else { Err(sink.into_problems()) }
}

/// Either of the two serves more, or they are alike.
fn both_ways(first: &str, other: &str) -> [(String, String); 2] {
    let sides = |between: &str| format!("throughput({first}) {between} throughput({other})");
    [
        (format!("{first} serves more than {other}"), sides(">")),
        (format!("{first} and {other} serve alike"), format!("{} within {ALIKE}", sides("~"))),
    ]
}

/// The words of a command; `None` for an address.
fn command_of(text: &str, sink: &Sink) -> Option<Vec<String>> {
    if !text.contains(PORT) && !text.contains(char::is_whitespace) {
        return None;
    }
    let problem = |mistake: Mistake| sink.add(Place::default(), "command", mistake.at(shown(text)));
    if !text.contains(PORT) {
        problem(Mistake::NoPort);
    }
    let words = shlex::split(text).filter(|words| !words.is_empty());
    if words.is_none() {
        problem(Mistake::not(shown(text), Expected::Words, "'./server --port {port}'"));
    }
    words
}

/// What stands for the port that is chosen.
const PORT: &str = "{port}";

fn started_by(args: Vec<String>) -> SubjectSpec {
    SubjectSpec::Command {
        args,
        port: None,
        env: BTreeMap::new(),
        directory: None,
        ready_within_ns: READY_WITHIN_NS,
        memory_max_bytes: None,
    }
}

/// A study that searches the capacity of a server that already runs.
///
/// # Errors
/// All mistakes of the address and the request.
pub fn searched(
    url: &str,
    request: &RequestOptions,
    load: LoadPoint,
    capacity: CapacityLoad,
) -> Result<Study, Problems> {
    let sink = Sink::new("command line");
    let Some(study) = of_addresses(&[url.to_string()], request, load, &sink) else {
        return Err(sink.into_problems());
    };
    let question =
        format!("At which rate does {} still hold {}?", study.question, capacity.slo.texts().join(", "));
    Ok(Study { name: "capacity".to_string(), question, capacity: Some(capacity), ..study })
}

/// A study of servers that already run, without claims; its mistakes go to `sink`.
fn of_addresses(urls: &[String], request: &RequestOptions, load: LoadPoint, sink: &Sink) -> Option<Study> {
    let (parsed, passages) = parse_urls(urls, request, sink);
    let mut mistakes = Vec::new();
    let mut feeders = request.feeders(&mut mistakes);
    let asked = parsed.first().and_then(|url| request.asked(&mut feeders, url, &mut mistakes));
    mistakes.into_iter().for_each(|mistake| sink.add(Place::default(), "request", mistake));
    let asked = asked.filter(|_| sink.is_empty())?;
    let variants = variants(&parsed, passages);
    let names = names(&variants, std::slice::from_ref(&load), &[]);
    let servers: Vec<&str> = parsed.iter().map(|url| url.name.as_str()).collect();
    Some(Study {
        name: "compare".to_string(),
        question: match servers.as_slice() {
            [alone] => (*alone).to_string(),
            servers => format!("Which is faster: {}?", servers.join(" or ")),
        },
        variants,
        workload: vec![request.entry("request".to_string(), 1, asked)],
        asking: request.asking(feeders),
        streams: Vec::new(),
        points: vec![load],
        capacity: None,
        timeouts: request.timeouts,
        mode: None,
        conditions: Default::default(),
        places: None,
        seed: None,
        not_tested: Vec::new(),
        claims: Vec::new(),
        declared_claims: Vec::new(),
        expectations: Vec::new(),
        references: Vec::new(),
        names,
        path: None,
        files: Default::default(),
        text: String::new(),
        settings: Vec::new(),
        only: Vec::new(),
        two_sided: false,
    })
}

/// Addresses that can be compared; what is wrong with the others goes to `sink`.
fn parse_urls(urls: &[String], request: &RequestOptions, sink: &Sink) -> (Vec<ParsedUrl>, Vec<Passage>) {
    let mut parsed: Vec<ParsedUrl> = Vec::new();
    for url in urls {
        match parse_url_unresolved(url).and_then(|url| request.reached(url)) {
            Ok(url) => parsed.push(url),
            Err(mistake) => sink.add(Place::default(), "URL", mistake),
        }
    }
    if let Some(mistake) = parsed.iter().find_map(|url| cannot_bind(&request.bind, &url.address)) {
        sink.add(Place::default(), "--bind", mistake);
    }
    let differ = |url: &&ParsedUrl| parsed.first().is_some_and(|first| first.target != url.target);
    if let Some(other) = parsed.iter().find(differ) {
        let (one, other) = (shown(&parsed[0].target), shown(&other.target));
        sink.add(Place::default(), "URL", Mistake::DifferentPaths { one, other });
    }
    let tell = |mistake: Mistake| sink.add(Place::default(), "", mistake);
    let material =
        request.transport.material(&parsed.iter().collect::<Vec<_>>()).unwrap_or_else(|mistakes| {
            mistakes.into_iter().for_each(tell);
            None
        });
    let passages: Result<Vec<Passage>, Mistake> =
        parsed.iter().map(|url| request.transport.passage(url, material.as_ref())).collect();
    let passages = passages.unwrap_or_else(|mistake| {
        tell(mistake);
        Vec::new()
    });
    (parsed, passages)
}

fn variants(urls: &[ParsedUrl], passages: Vec<Passage>) -> Vec<Variant> {
    let names: Vec<&str> = urls.iter().map(|url| url.name.as_str()).collect();
    let tell = names.iter().enumerate().all(|(index, name)| is_level(name) && !names[..index].contains(name));
    let named = |((url, passage), letter): ((&ParsedUrl, Passage), char)| {
        let name = if tell { url.name.clone() } else { letter.to_string() };
        Variant {
            levels: vec![("subject".to_string(), name.clone())],
            name,
            subject: SubjectSpec::Url { address: url.address.clone(), authority: url.authority.clone() },
            shares: None,
            memory_bytes: 0,
            jvm: false,
            passage,
        }
    };
    urls.iter().zip(passages).zip('a'..).map(named).collect()
}

fn expand(declared: &[(String, String)], names: &Names, sink: &Sink) -> Vec<Claim> {
    let problem = |mistake: Mistake| sink.add(Place::default(), "claim", mistake);
    let mut expanded = Vec::new();
    for (name, text) in declared {
        match parse_claim(name, text, names) {
            Ok(claims) => expanded.extend(claims),
            Err(errors) => errors.into_iter().for_each(|error| problem(error.mistake)),
        }
    }
    if expanded.len() > CLAIMS_MAX {
        problem(Mistake::too_many(Thing::Claim, expanded.len(), CLAIMS_MAX));
    }
    expanded
}
