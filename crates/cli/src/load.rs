//! Flags of a load, checked: all mistakes at once.

use crate::args::{LoadArgs, MeasureArgs};
use crate::mistakes::{Mistakes, no_password, secret};
use crate::transport;
use proofload_engine::{Arrival, Distribution, Expect, Extent, Profile, Shortage, Stage, Timeouts};
use proofload_facts::{Mistake, Thing};
use proofload_study::quantity;
use proofload_study::stages::{Of, stage};
use proofload_study::{self as study, overflow};
use proofload_study::{Auth, Body, FOLLOW_MAX, feeder, form_part, local_address};
use proofload_study::{LoadPoint, OpenTerms, RequestOptions, stages_label, trace, trace_label, users_label};

/// Connections when none are asked for: enough to keep a small server busy, few enough for every limit.
const CONNECTIONS: u32 = 50;

/// What a number of requests may take at most.
pub const COUNT_CAP_NS: u64 = 24 * 3600 * 1_000_000_000;

fn beside(flags: &str) -> Mistake {
    Mistake::NoMeaningBeside { beside: flags.to_owned() }
}

fn without(flag: &str) -> Mistake {
    Mistake::NoMeaningWithout { needs: flag.to_owned() }
}

/// The load point that the flags of a measurement ask for: one that stays as it is, stages, or users.
pub fn shaped(args: &MeasureArgs, mistakes: &mut Mistakes) -> LoadPoint {
    let rated = |text: &String| matches!(stage(text), Ok((Of::Rate, _)));
    let open = args.load.rate.is_some() || args.trace.is_some() || args.stages.iter().any(rated);
    let plain = LoadArgs { poisson: args.load.poisson && args.stages.is_empty(), ..args.load.clone() };
    let point = plain_point(&plain, open, mistakes);
    let shape = match (args.users, args.stages.is_empty()) {
        _ if args.trace.is_some() => traced(args, &point, mistakes),
        (Some(users), _) => self::users(args, users, &point, mistakes),
        (None, false) => staged(args, &point, mistakes),
        (None, true) => return point,
    };
    if !matches!(quantity::duration(&args.warm_up), Ok(0)) {
        mistakes.add("--warm-up", beside("--stage, --users, --trace"));
    }
    shape
}

fn users(args: &MeasureArgs, users: u32, plain: &LoadPoint, mistakes: &mut Mistakes) -> LoadPoint {
    if users == 0 || u64::from(users) > quantity::CONNECTIONS_MAX {
        mistakes.add("--users", Mistake::beyond(users, 1, quantity::CONNECTIONS_MAX));
    }
    let loops = args.loops.unwrap_or(1);
    if loops == 0 {
        mistakes.add("--loops", Mistake::AsksNothing);
    }
    let ramp_ns = args.ramp.as_deref().map_or(0, |text| mistakes.take("--ramp", quantity::duration(text)));
    let profile = Profile::Users { ramp_ns, loops, think_ns: think(plain) };
    let count = u64::from(users) * u64::from(loops);
    let end = Some(Extent::Requests { count, cap_ns: COUNT_CAP_NS });
    LoadPoint { label: users_label(users), connections: users, profile, end, ..plain.clone() }
}

fn staged(args: &MeasureArgs, plain: &LoadPoint, mistakes: &mut Mistakes) -> LoadPoint {
    let read: Vec<(Of, Vec<Stage>)> =
        args.stages.iter().filter_map(|text| mistakes.keep("--stage", stage(text))).collect();
    let open = read.iter().any(|(of, _)| *of == Of::Rate);
    // `hold 0 10s` is a pause of either kind.
    if open && read.iter().any(|(of, stages)| *of == Of::Connections && !stages.iter().all(Stage::is_pause)) {
        mistakes.add("--stage", Mistake::MixedStages);
    }
    let all_read = read.len() == args.stages.len();
    let stages: Vec<Stage> = read.into_iter().flat_map(|(_, stages)| stages).collect();
    // What could not be read may well ask something.
    if all_read && Stage::peak_of(&stages) == 0.0 {
        mistakes.add("--stage", Mistake::AsksNothing);
    }
    if open && args.load.think.is_some() {
        mistakes.add("--think", Mistake::OpenThinks);
    }
    if !open && args.load.poisson {
        mistakes.add("--poisson", without("--stage 'hold 5k/s 30s'"));
    }
    if !open && args.load.connections.is_some() {
        mistakes.add("-c", beside("--stage"));
    }
    let label = stages_label(&stages, open);
    if open {
        let arrival = if args.load.poisson { Arrival::Poisson } else { Arrival::Constant };
        let profile = Profile::OpenStages { stages, arrival, coalesce_ns: coalesce_ns(&args.load) };
        return LoadPoint { label, profile, ..plain.clone() };
    }
    let connections = Stage::peak_of(&stages).ceil() as u32;
    let profile = Profile::ClosedStages { stages, think_ns: think(plain) };
    LoadPoint { label, connections, profile, ..plain.clone() }
}

fn traced(args: &MeasureArgs, plain: &LoadPoint, mistakes: &mut Mistakes) -> LoadPoint {
    let speed = mistakes.keep("--speed", trace::speed(&args.speed)).unwrap_or(1.0);
    if args.repeat == 0 {
        mistakes.add("--repeat", Mistake::AsksNothing);
    }
    let asked_ns = args.duration.as_deref().and_then(|text| quantity::duration(text).ok());
    let path = args.trace.clone().unwrap_or_default();
    let name = path.display().to_string();
    let recorded = mistakes.keep("--trace", trace::read_trace(&path, &name, speed, args.repeat.max(1)));
    let Some(recorded) = recorded else { return plain.clone() };
    let for_ns = mistakes.take("-d", trace::played_ns(&recorded, asked_ns));
    LoadPoint {
        label: trace_label(&recorded),
        profile: Profile::OpenTrace { trace: recorded.trace.clone(), coalesce_ns: coalesce_ns(&args.load) },
        end: Some(Extent::DurationNs(for_ns)),
        trace: Some(recorded),
        ..plain.clone()
    }
}

/// The think time that the flags say.
fn think(plain: &LoadPoint) -> Distribution {
    plain.profile.think().cloned().unwrap_or_default()
}

/// The load point that the flags ask for.
pub fn point(args: &LoadArgs, mistakes: &mut Mistakes) -> LoadPoint {
    plain_point(args, args.rate.is_some(), mistakes)
}

/// How an open loop sends, and with how many connections a load begins.
fn sending(args: &LoadArgs, open: bool, mistakes: &mut Mistakes) -> (u32, OpenTerms) {
    let auto = args.connections.as_deref() == Some("auto");
    let connections = match args.connections.as_deref() {
        None => CONNECTIONS,
        Some("auto") => overflow::AUTO_FIRST,
        Some(text) => text.parse().unwrap_or(0),
    };
    if connections == 0 || u64::from(connections) > quantity::CONNECTIONS_MAX {
        let written = args.connections.as_deref().unwrap_or_default();
        mistakes.add("-c", Mistake::beyond(written, 1, quantity::CONNECTIONS_MAX));
    }
    if auto && !open {
        mistakes.add("-c auto", Mistake::AutoClosed);
    }
    let flags = [
        ("--max-connections", args.open.max_connections.is_some()),
        ("--overflow", args.open.overflow.is_some()),
        ("--coalesce", args.open.coalesce.is_some()),
    ];
    for (flag, _) in flags.iter().filter(|(_, given)| *given && !open) {
        mistakes.add(flag, without("-r"));
    }
    if let Some(most) = args.open.max_connections
        && (most < connections || u64::from(most) > quantity::CONNECTIONS_MAX)
    {
        mistakes.add("--max-connections", Mistake::beyond(most, connections, quantity::CONNECTIONS_MAX));
    }
    let overflow = |text: &str| mistakes.take("--overflow", overflow::overflow(text));
    let overflow = args.open.overflow.as_deref().map(overflow).unwrap_or_default();
    if let Some(text) = args.open.coalesce.as_deref() {
        mistakes.keep("--coalesce", overflow::coalesce(text));
    }
    let most_connections = args.open.max_connections.or_else(|| auto.then(overflow::auto_most));
    (connections, OpenTerms { shortage: Shortage { overflow, most_connections }, auto })
}

/// How late sends may be fired together; what is wrong with it is said by [`sending`].
fn coalesce_ns(args: &LoadArgs) -> u64 {
    args.open.coalesce.as_deref().and_then(|text| overflow::coalesce(text).ok()).unwrap_or_default()
}

fn plain_point(args: &LoadArgs, open: bool, mistakes: &mut Mistakes) -> LoadPoint {
    if args.poisson && args.rate.is_none() {
        mistakes.add("--poisson", without("-r"));
    }
    let (connections, open) = sending(args, open, mistakes);
    let think = |text: &str| mistakes.take("--think", study::think(text));
    let think_ns = args.think.as_deref().map(think).unwrap_or_default();
    let keep_alive = mistakes.keep("--keep-alive", quantity::keep_alive(&args.keep_alive));
    let keep_alive = keep_alive.unwrap_or(proofload_engine::KeepAlive::On);
    let (label, profile) = match &args.rate {
        None => (format!("{connections}c"), Profile::Closed { think_ns }),
        Some(text) => {
            let rate_per_s = mistakes.take("-r", quantity::rate(text));
            let arrival = if args.poisson { Arrival::Poisson } else { Arrival::Constant };
            let coalesce_ns = coalesce_ns(args);
            (quantity::rate_label(rate_per_s), Profile::Open { rate_per_s, arrival, coalesce_ns })
        }
    };
    let (label, in_flight) = (label + &study::in_flight_label(args.in_flight), args.in_flight);
    LoadPoint { in_flight, ..LoadPoint::new(label, connections, profile, keep_alive, open) }
}

/// The request that the flags ask for.
pub fn request(args: &LoadArgs, mistakes: &mut Mistakes) -> RequestOptions {
    let headers =
        args.headers.iter().filter_map(|text| mistakes.keep("-H", quantity::header(text))).collect();
    let expect = Expect {
        status: args.expect_status,
        bytes: args.expect_bytes.as_deref().map(|text| mistakes.take("--expect-bytes", quantity::size(text))),
        text: args.expect_text.as_ref().map(|text| text.as_bytes().to_vec()),
    };
    let timeouts = Timeouts {
        connect_ns: mistakes.take("--connect-timeout", quantity::duration(&args.connect_timeout)),
        response_ns: mistakes.take("--timeout", quantity::duration(&args.timeout)),
    };
    RequestOptions {
        method: args.method.to_ascii_uppercase(),
        headers,
        body: body(args, mistakes),
        args: args.args.clone(),
        auth: auth(args, mistakes),
        feeders: args.feeders.iter().filter_map(|text| mistakes.keep("--feeder", feeder(text))).collect(),
        cookies: args.cookies,
        bind: args.bind.iter().filter_map(|text| mistakes.keep("--bind", local_address(text))).collect(),
        pinned: args
            .transport
            .resolve
            .iter()
            .filter_map(|t| mistakes.keep("--resolve", study::pinned(t)))
            .collect(),
        transport: transport::options(&args.transport, mistakes),
        unix: args.unix.clone(),
        follow: follow(args, mistakes),
        expect,
        timeouts,
    }
}

fn follow(args: &LoadArgs, mistakes: &mut Mistakes) -> u32 {
    if args.follow > FOLLOW_MAX {
        mistakes.add("--follow", Mistake::too_many(Thing::Redirect, args.follow, FOLLOW_MAX as usize));
    }
    args.follow
}

fn body(args: &LoadArgs, mistakes: &mut Mistakes) -> Option<Body> {
    if !args.forms.is_empty() {
        let parts = args.forms.iter().filter_map(|text| mistakes.keep("--form", form_part(text)));
        return Some(Body::Form(parts.collect()));
    }
    let text = args.body.as_deref()?;
    Some(text.strip_prefix('@').map_or_else(|| Body::Text(text.to_owned()), |path| Body::File(path.into())))
}

fn auth(args: &LoadArgs, mistakes: &mut Mistakes) -> Option<Auth> {
    if let Some(text) = &args.basic {
        let Some((user, password)) = text.split_once(':') else {
            mistakes.add("--basic", no_password());
            return None;
        };
        let password = mistakes.keep("--basic", secret(password))?;
        return Some(Auth::Basic(user.to_owned(), password));
    }
    let token = mistakes.keep("--bearer", secret(args.bearer.as_deref()?))?;
    Some(Auth::Bearer(token))
}
