//! Settings that a ceiling holds for, and its age.

use super::*;
use crate::endpoint;
use proofload_engine::feed::Feeder;
use proofload_engine::transport::{ClientCertificate, Proxy, Tls, TlsVersion, Transport};
use proofload_engine::{Distribution, DriverChoice, Expect, Extent, KeepAlive, Profile, Shortage};
use proofload_study::{Draft, Options};
use std::net::SocketAddr;
use std::sync::Arc;

fn setting(connections: u32, keep_alive: KeepAlive) -> Setting {
    asking(connections, keep_alive, &|draft| draft.put("", &["workload", "a", "get"], "/"))
}

fn asking(connections: u32, keep_alive: KeepAlive, ask: &dyn Fn(&mut Draft)) -> Setting {
    let mut draft = Draft::new(&[]);
    draft.put("", &["study"], "a");
    draft.put("", &["question"], "Which?");
    draft.put("", &["subjects", "a", "url"], "http://127.0.0.1:81");
    draft.put("", &["load", "closed", "connections"], u64::from(connections));
    match keep_alive {
        KeepAlive::Every(count) => draft.put("", &["load", "closed", "keep_alive"], u64::from(count)),
        kept => draft.put("", &["load", "closed", "keep_alive"], kept == KeepAlive::On),
    }
    ask(&mut draft);
    let study = draft.study(&Options::default()).unwrap();
    let terms = endpoint::Terms {
        discard_ns: 0,
        extent: Extent::DurationNs(1),
        drain_ns: 0,
        workers: 1,
        seed: 1,
        driver: Default::default(),
    };
    Setting::new(vec![endpoint::load_plan(&study, &terms).unwrap()], 1024, &[])
}

/// A null server on this CPU.
fn on(cpu: usize) -> GeneratorSettings {
    GeneratorSettings { subject_cpus: vec![cpu], ..GeneratorSettings::default() }
}

fn machine() -> Environment {
    Environment { machine: "this one".into(), kernel: "6.1".into(), ..Environment::default() }
}

/// A ceiling in a cache, and where it lies.
fn kept(root: &Path) -> (PathBuf, Vec<String>) {
    let cache = Cache::at(&root.join("cache")).unwrap();
    let lines = setting(4, KeepAlive::On).lines(&machine(), &on(0));
    let path = path_of(&cache, &lines);
    let ceiling = Ceiling {
        format: FORMAT_VERSION,
        setting: lines.clone(),
        exchanges_per_s: Some(50_000.0),
        measured_unix_ns: 100 * DAY_NS,
        canary_ns: 400_000,
        ..Ceiling::default()
    };
    keep(&path, &ceiling).unwrap();
    (path, lines)
}

#[test]
fn a_ceiling_holds_for_a_week_and_for_the_machine_as_it_was() {
    let root = tempfile::tempdir().unwrap();
    let (path, lines) = kept(root.path());
    let found = |unix_ns, canary_ns| fresh(&path, &lines, unix_ns, || canary_ns);
    let ceiling = found(107 * DAY_NS, 400_000).expect("seven days old");
    assert_eq!((ceiling.exchanges_per_s, ceiling.cached), (Some(50_000.0), true));
    assert_eq!(found(107 * DAY_NS + 1, 400_000), Err(Finding::CeilingOld { allowed_days: 7 }));
    assert_eq!(found(99 * DAY_NS, 400_000), Err(Finding::CeilingOld { allowed_days: 7 }), "from the future");
    assert!(found(101 * DAY_NS, 439_000).is_ok() && found(101 * DAY_NS, 364_000).is_ok());
    for now_ns in [445_000, 360_000] {
        assert_eq!(found(101 * DAY_NS, now_ns), Err(Finding::CeilingOtherSpeed { then_ns: 400_000, now_ns }));
    }
}

#[test]
fn what_is_damaged_or_of_another_setting_is_measured_anew() {
    let root = tempfile::tempdir().unwrap();
    let (path, lines) = kept(root.path());
    let unasked = || panic!("the fixed work is not done in vain");
    assert_eq!(fresh(&path, &lines[1..], 101 * DAY_NS, unasked), Err(Finding::CeilingDamaged));
    fs::write(&path, "{").unwrap();
    assert_eq!(fresh(&path, &lines, 101 * DAY_NS, unasked), Err(Finding::CeilingDamaged));
    assert_eq!(
        fresh(&root.path().join("none"), &lines, 101 * DAY_NS, unasked),
        Err(Finding::CeilingNotCached)
    );
}

fn posting(random_text: &str, body: &str) -> Setting {
    asking(4, KeepAlive::On, &|draft| {
        draft.put("", &["workload", "a", "post"], "/");
        draft.put("", &["workload", "a", "body"], body);
        match random_text.parse::<u64>() {
            Ok(letters) => draft.put("", &["feeders", "p", "random_text"], letters),
            Err(_) => {
                let (size, held) = random_text.split_once('/').unwrap_or((random_text, "0s"));
                draft.put("", &["feeders", "p", "random_text", "size"], size);
                draft.put("", &["feeders", "p", "random_text", "redraw"], held);
            }
        }
    })
}

fn counting(body: &str) -> Setting {
    asking(4, KeepAlive::On, &|draft| {
        draft.put("", &["workload", "a", "post"], "/");
        draft.put("", &["workload", "a", "body"], body);
        draft.put("", &["feeders", "p", "counter", "from"], 1);
    })
}

fn with(change: impl Fn(&mut LoadPlan)) -> Setting {
    let mut setting = setting(4, KeepAlive::On);
    change(&mut setting.plans[0]);
    setting
}

fn through(tls: Tls) -> Setting {
    with(|plan| plan.targets[0].transport = Transport { proxy: None, tls: Some(Arc::new(tls.clone())) })
}

fn tls() -> Tls {
    Tls::new("example.org", vec![vec![1]])
}

#[test]
fn all_that_changes_a_ceiling_is_part_of_its_setting() {
    let lines = |setting: Setting| setting.lines(&machine(), &on(0));
    let base = setting(4, KeepAlive::On);
    let of_class = |answer_bytes| Setting::new(base.plans.clone(), answer_bytes, &[]);
    let cookies = |draft: &mut Draft| {
        draft.put("", &["workload", "a", "get"], "/");
        draft.put("", &["cookies"], true);
    };
    let head = |draft: &mut Draft| draft.put("", &["workload", "a", "head"], "/");
    let one_version = Tls { versions: vec![TlsVersion::V1_2], ..tls() };
    let others = [
        lines(setting(4, KeepAlive::On)),
        lines(setting(5, KeepAlive::On)),
        lines(setting(4, KeepAlive::Off)),
        base.lines(&machine(), &on(1)),
        base.lines(&Environment { kernel: "6.2".into(), ..machine() }, &on(0)),
        base.lines(&Environment { machine: "that one".into(), ..machine() }, &on(0)),
        base.lines(&Environment { cpu_model: "a faster one".into(), ..machine() }, &on(0)),
        base.lines(&Environment { cpus: vec![7], ..machine() }, &on(0)),
        base.lines(&Environment { facts: [("cpu_sleep".into(), "none".into())].into(), ..machine() }, &on(0)),
        lines(of_class(4096)),
        lines(with(|plan| plan.workers = 2)),
        lines(with(|plan| plan.cpus = vec![1])),
        lines(with(|plan| plan.driver = DriverChoice::IoUring)),
        lines(asking(4, KeepAlive::On, &cookies)),
        lines(asking(4, KeepAlive::On, &head)),
        lines(posting("16", "")),
        lines(posting("16", &"x".repeat(10_000))),
        lines(posting("200KiB", "${p}")),
        lines(posting("100KiB", "${p}")),
        lines(posting("uniform:20..200KiB", "${p}")),
        lines(posting("16", "${p}")),
        lines(counting("${p}")),
        lines(counting("${p} ${p}")),
        lines(through(tls())),
        lines(through(one_version)),
        lines(through(Tls { resumption: false, ..tls() })),
        lines(through(Tls { verify: false, ..tls() })),
        lines(with(|plan| plan.targets[0].addresses = proofload_engine::Address::Unix("/a".into()).into())),
    ];
    for (at, one) in others.iter().enumerate() {
        assert_eq!(others.iter().position(|other| other == one), Some(at), "{one:#?}");
    }
    assert_eq!(others[0], lines(base));
}

/// The identity of the server changes nothing: the null server takes its place.
#[test]
fn who_the_server_is_is_no_part_of_it() {
    let lines = |setting: Setting| setting.lines(&machine(), &on(0));
    let elsewhere = with(|plan| plan.targets[0].addresses = SocketAddr::from(([10, 0, 0, 1], 80)).into());
    assert_eq!(lines(elsewhere), lines(setting(4, KeepAlive::On)));
    let other = Tls { server_name: "example.com".into(), roots: vec![vec![2], vec![3]], ..tls() };
    assert_eq!(lines(through(other)), lines(through(tls())));
}

#[test]
fn what_the_null_server_cannot_stand_for_is_refused_with_the_reason() {
    assert_eq!(setting(4, KeepAlive::On).refusal(), None);
    assert_eq!(setting(4, KeepAlive::Off).refusal(), None);
    assert_eq!(through(tls()).refusal(), None);
    let refused = |setting: Setting, why: Finding| assert_eq!(setting.refusal(), Some(why));
    refused(setting(4, KeepAlive::Every(3)), Finding::CeilingEndsAfterSome);
    let unix =
        || with(|plan| plan.targets[0].addresses = proofload_engine::Address::Unix("/run/app".into()).into());
    refused(unix(), Finding::CeilingUnixSocket);
    let proxy = Proxy { authority: "a:80".into(), tunnels: true, authorization: None };
    refused(with(|plan| plan.targets[0].transport.proxy = Some(proxy.clone())), Finding::CeilingProxy);
    let client = Some(ClientCertificate { chain: vec![vec![1]], key: vec![2] });
    refused(through(Tls { client, ..tls() }), Finding::CeilingClientCertificate);
    let mut half = through(tls());
    let plain = setting(4, KeepAlive::On).plans[0].targets[0].clone();
    half.plans[0].targets.push(plain);
    refused(half, Finding::CeilingPassages);
    // However good a ceiling of plain connections the cache holds.
    let root = tempfile::tempdir().unwrap();
    kept(root.path());
    let cache = Cache::at(&root.path().join("cache")).unwrap();
    let unusable = |setting: &Setting| cached(&cache, setting, &machine(), &on(0));
    assert_eq!(unusable(&unix()), Err((Finding::CeilingUnixSocket, false)));
    assert_eq!(unusable(&through(tls())), Err((Finding::CeilingNotCached, true)));
}

#[test]
fn a_load_that_opens_connections_counts_with_those_that_it_came_to() {
    let grown = |most, peak| {
        let mut plans = setting(16, KeepAlive::On).plans;
        plans[0].shortage = Shortage { most_connections: most, ..Shortage::default() };
        Setting::new(plans, 1024, &[peak])
    };
    assert_eq!(grown(None, 999).connections(), 16, "that of a fixed number does not rest on what was seen");
    assert_eq!(grown(Some(1000), 0).connections(), 16);
    assert_eq!(grown(Some(1000), 70).connections(), 128);
    assert_eq!(grown(Some(100), 70).connections(), 100);
    assert_eq!(
        grown(Some(1000), 70).against(SocketAddr::from(([127, 0, 0, 1], 9)), None)[0].connections,
        128
    );
}

#[test]
fn the_load_is_asked_without_pauses_and_without_checks() {
    let mut paced = setting(4, KeepAlive::On);
    paced.plans[0].profile = Profile::Closed { think_ns: Distribution::Constant(1_000_000) };
    paced.plans[0].mix[0].expect.bytes = Some(7..=7);
    let plans = paced.against(SocketAddr::from(([127, 0, 0, 1], 9)), None);
    assert_eq!(
        (plans[0].profile.clone(), plans[0].connections),
        (Profile::Closed { think_ns: Distribution::Constant(0) }, 4)
    );
    assert_eq!(plans[0].mix[0].expect, Expect::default());
}

#[test]
fn the_null_server_is_asked_by_the_same_tls_and_with_payloads_of_every_size() {
    let address = SocketAddr::from(([127, 0, 0, 1], 9));
    let secured = Tls { versions: vec![TlsVersion::V1_2], resumption: false, ..tls() };
    let plans = through(secured.clone()).against(address, Some(&[7]));
    let asked = plans[0].targets[0].transport.tls.as_deref().unwrap();
    assert_eq!(*asked, Tls { server_name: "localhost".into(), roots: vec![vec![7]], ..secured });
    let plans = posting("uniform:20..200KiB/10m", "${p}").against(address, None);
    let [Feeder::Payload { redraw_ns, most_bytes, .. }] = plans[0].asking.feed.feeders[..] else { panic!() };
    assert_eq!((redraw_ns, most_bytes), (0, 200 << 10));
}
