//! Pushes of figures to a collector. Each holds all that was counted so far, so one that fails is made up for by the next,
//! and nothing is queued.

use crate::metrics::figures::Cost;
use crate::metrics::hub::{Hub, OutOfTheWay};
use crate::metrics::otlp::{self, Moment, otlp};
use crate::metrics::settings::{Mistake, OtlpSettings};
use proofload_host::clock;
use proofload_language::tr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::Duration;
use ureq::Agent;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

/// The exporter's name among the figures.
const NAME: &str = "otlp";
/// Media type of requests and answers.
const PROTOBUF: &str = "application/x-protobuf";
/// Most bytes of an answer that are read.
const ANSWER_MAX: u64 = 64 * 1024;
/// Most characters of it that are shown.
const SHOWN_MAX: usize = 200;
/// Longest wait of the last push for a collector that asked for patience, and its time limit.
const LAST_PATIENCE: Duration = Duration::from_secs(5);
const LAST_PUSH: Duration = Duration::from_secs(5);
/// Extra time that the end waits for its thread.
const END_SPARE: Duration = Duration::from_millis(500);
/// Interval of the checks for the end and for the stop switch.
const END_POLL: Duration = Duration::from_millis(5);

/// Pushes the figures of a run, on a thread of its own.
pub struct Push {
    end: mpsc::Sender<()>,
    thread: JoinHandle<Option<String>>,
    stop: Arc<AtomicBool>,
    /// The address, to be shown.
    shown: String,
}

impl Push {
    /// Begins to push. Once `stop` is set, the end waits for no collector that asked for patience.
    ///
    /// # Errors
    /// If something that TLS needs is missing, or no thread can be started.
    pub fn start(settings: OtlpSettings, hub: Arc<Hub>, stop: Arc<AtomicBool>) -> Result<Push, Mistake> {
        let agent = agent(&settings)?;
        let (end, ended) = mpsc::channel();
        let shown = settings.shown();
        let stopping = Arc::clone(&stop);
        let pusher =
            Pusher { agent, settings, hub, stop: stopping, cost: Cost::default(), last_failure: None };
        let began_unix_ns = clock::unix_ns();
        let thread = std::thread::Builder::new().name(NAME.to_string());
        let thread = thread.spawn(move || pusher.run(began_unix_ns, &ended));
        Ok(Push { end, thread: thread.map_err(|error| Mistake(error.to_string()))?, stop, shown })
    }

    /// Pushes once more and ends, in eleven seconds, or in six once `stop` is set; a sentence if any push failed.
    pub fn end(self) -> Option<String> {
        // A thread that is gone has panicked, and that goes on here.
        let _ = self.end.send(());
        let begun_ns = clock::monotonic_ns();
        while !self.thread.is_finished() {
            let patience = if self.stop.load(Ordering::Relaxed) { Duration::ZERO } else { LAST_PATIENCE };
            let for_ns = clock::monotonic_ns().saturating_sub(begun_ns);
            if Duration::from_nanos(for_ns) > patience + LAST_PUSH + END_SPARE {
                return Some(tr!("metrics-push-abandoned", endpoint = self.shown));
            }
            std::thread::sleep(END_POLL);
        }
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

fn agent(settings: &OtlpSettings) -> Result<Agent, Mistake> {
    let mut tls = TlsConfig::builder();
    if settings.endpoint.starts_with("https:") {
        let found = rustls_native_certs::load_native_certs();
        if found.certs.is_empty() {
            let why = found.errors.first().map_or("there are none".to_string(), ToString::to_string);
            return Err(Mistake(tr!("metrics-no-authorities", why)));
        }
        let certs: Vec<_> = found.certs.iter().map(|der| Certificate::from_der(der).to_owned()).collect();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        tls = tls.root_certs(RootCerts::new_with_certs(&certs)).unversioned_rustls_crypto_provider(provider);
    }
    let config = Agent::config_builder()
        .tls_config(tls.build())
        .http_status_as_error(false)
        .max_redirects(0)
        .user_agent(concat!("proofload/", env!("CARGO_PKG_VERSION")));
    Ok(config.build().new_agent())
}

/// Reason why a push failed, and the pause that the collector asks for.
#[derive(Debug, PartialEq, Eq)]
struct Failed {
    why: String,
    patience: Duration,
}

struct Pusher {
    agent: Agent,
    settings: OtlpSettings,
    hub: Arc<Hub>,
    stop: Arc<AtomicBool>,
    cost: Cost,
    last_failure: Option<String>,
}

impl Pusher {
    fn run(mut self, began_unix_ns: u64, ended: &mpsc::Receiver<()>) -> Option<String> {
        let mut place = OutOfTheWay::begin();
        let mut patience = Duration::ZERO;
        let failed_at_end = loop {
            let wait = self.settings.interval.max(patience);
            let is_last = ended.recv_timeout(wait) != Err(RecvTimeoutError::Timeout);
            if is_last {
                let patience_ns = patience.min(LAST_PATIENCE).as_nanos() as u64;
                clock::sleep_until(clock::monotonic_ns() + patience_ns, &self.stop);
            }
            let timeout = if is_last { LAST_PUSH } else { Duration::MAX };
            place.follow(&self.hub);
            let sent = self.push(began_unix_ns, timeout);
            if is_last {
                break sent.is_err();
            }
            patience = sent.err().unwrap_or_default();
        };
        let Cost { done, failed, .. } = self.cost;
        let why = self.last_failure?;
        Some(tr!(
            "metrics-pushes-failed",
            endpoint = self.settings.shown(),
            failed,
            all = done + failed,
            latest = why,
            at_end = failed_at_end
        ))
    }

    /// One push; for how long the collector wants to be left alone, if it failed.
    fn push(&mut self, began_unix_ns: u64, at_most: Duration) -> Result<(), Duration> {
        let moment = Moment { began_unix_ns, unix_ns: clock::unix_ns() };
        let body = otlp(&self.hub.figures(), &self.settings.resource, moment);
        let bytes = body.len() as u64;
        let sent = self.send(body, self.settings.timeout.min(at_most));
        match &sent {
            Ok(()) => self.cost.done += 1,
            Err(failed) => {
                self.cost.failed += 1;
                self.last_failure = Some(failed.why.clone());
            }
        }
        self.cost.bytes += bytes;
        self.cost.cpu_ns = clock::thread_cpu_ns();
        self.hub.spent(NAME, self.cost);
        sent.map_err(|failed| failed.patience)
    }

    fn send(&self, body: Vec<u8>, timeout: Duration) -> Result<(), Failed> {
        let failed = |why: String| Failed { why, patience: Duration::ZERO };
        let request = self.agent.post(&self.settings.endpoint).content_type(PROTOBUF);
        let mut request = request.config().timeout_global(Some(timeout)).build();
        for (name, value) in &self.settings.headers {
            request = request.header(name, value);
        }
        let mut answer = request.send(body).map_err(|error| failed(error.to_string()))?;
        let status = answer.status().as_u16();
        let wanted = answer.headers().get("retry-after").and_then(|value| value.to_str().ok());
        let patience = Duration::from_secs(wanted.and_then(|text| text.trim().parse().ok()).unwrap_or(0));
        let kind =
            answer.headers().get("content-type").map(|kind| kind.as_bytes().to_vec()).unwrap_or_default();
        let bytes = answer.body_mut().with_config().limit(ANSWER_MAX).read_to_vec();
        if !(200..300).contains(&status) {
            let said = shown(&bytes.unwrap_or_default());
            return Err(Failed {
                why: tr!(
                    "metrics-status",
                    status = status.to_string(),
                    body = (!said.is_empty()).then_some(said)
                ),
                patience,
            });
        }
        let bytes = bytes.map_err(|error| {
            failed(tr!("metrics-unreadable", status = status.to_string(), why = error.to_string()))
        })?;
        taken(status, &shown(&kind), &bytes).map_err(failed)
    }
}

/// Result of a push that was answered with success: an empty answer means that everything was accepted.
fn taken(status: u16, kind: &str, bytes: &[u8]) -> Result<(), String> {
    // Without a type that it gives itself there is none to be named.
    let no_answer = |kind: Option<&str>| tr!("metrics-no-answer", status = status.to_string(), kind);
    if bytes.is_empty() {
        return Ok(());
    }
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.is_empty() && !kind.eq_ignore_ascii_case(PROTOBUF) {
        return Err(no_answer(Some(kind)));
    }
    let answer = otlp::answer(bytes).ok_or_else(|| no_answer(None))?;
    match answer.rejected {
        0 => Ok(()),
        points => Err(tr!("metrics-rejected", points, why = shown(answer.why.as_bytes()))),
    }
}

/// Answer of a collector, if it is text.
fn shown(bytes: &[u8]) -> String {
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    let line: String = text.trim().chars().take_while(|c| !c.is_control()).take(SHOWN_MAX).collect();
    line
}
