//! `proofload URL --debug`: one request, and both sides of it in full.

use crate::exit::{Exit, leave};
use crate::output;
use proofload_engine::LoadPlan;
use proofload_engine::debug::{TapEvent, Transcript, debug as execute};
use proofload_measure::Outcome;
use proofload_report::escape;
use proofload_store::redact;
use std::fmt::Write;

/// Most bytes of a body that are shown.
const BODY_MAX: usize = 64 * 1024;

/// Sends the request and prints what passed.
pub fn debug(plan: &LoadPlan) -> anyhow::Result<Exit> {
    let transcript = execute(plan).map_err(|error| leave(Exit::Usage, error))?;
    let target = plan.mix.first().and_then(|entry| plan.targets.get(entry.target));
    let proxy = target.and_then(|target| target.transport.proxy.as_ref());
    let by_way = match proxy.is_some_and(|proxy| !proxy.tunnels) {
        true => ", a proxy that is sent the request in absolute form",
        false => "",
    };
    let decode = |sent: bool, bytes: &[u8]| target?.protocol.describe(sent, bytes);
    output::print(&text(by_way, &transcript, &decode))?;
    let outcomes = &transcript.result.snapshot.outcomes;
    let connects =
        [Outcome::ConnectRefused, Outcome::ConnectTimeout, Outcome::ConnectFailed, Outcome::LocalExhausted];
    if connects.iter().any(|outcome| outcomes.get(*outcome) > 0) {
        let what = transcript.result.bad_answers.first().map_or("there was no connection", |bad| &bad.what);
        let remedy = "start the server, or check the address";
        return Err(leave(Exit::Failure, format!("{}; {remedy}", escape::line(what))));
    }
    Ok(if outcomes.get(Outcome::Answered) == 1 { Exit::Done } else { Exit::Invalid })
}

/// Makes lines of bytes that were sent (`true`) or received; `None` of what is text anyway.
type Decode<'a> = &'a dyn Fn(bool, &[u8]) -> Option<Vec<String>>;

fn text(by_way: &str, transcript: &Transcript, decode: Decode<'_>) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail; the results are dropped in one place.
    let _ = write_all(&mut out, by_way, transcript, decode);
    out
}

fn write_all(
    out: &mut String,
    by_way: &str,
    transcript: &Transcript,
    decode: Decode<'_>,
) -> std::fmt::Result {
    let heard = &transcript.heard;
    let start = heard.first().map_or(0, |(at, _)| *at);
    let ms = |at: u64| at.saturating_sub(start) as f64 / 1e6;
    let (mut sent, mut received) = (Vec::new(), Vec::new());
    let (mut sent_at, mut first_at, mut end_at) = (None, None, None);
    for (at, what) in heard {
        match what {
            TapEvent::Dialing(address) => {
                writeln!(out, "* {:.3} ms  connecting to {address}{by_way}", ms(*at))?
            }
            TapEvent::Connected => writeln!(out, "* {:.3} ms  connected", ms(*at))?,
            TapEvent::Tunnelled => writeln!(out, "* {:.3} ms  the proxy made a tunnel", ms(*at))?,
            TapEvent::Secured(handshake) => {
                let settled = handshake.negotiated;
                let (version, suite) = (settled.version.number(), settled.cipher_suite);
                writeln!(out, "* {:.3} ms  TLS {version} with {suite}", ms(*at))?;
            }
            TapEvent::Sent(bytes) => {
                if !received.is_empty() {
                    sides(out, &mut sent, &mut received, decode)?;
                }
                sent_at = sent_at.or(Some(*at));
                sent.extend_from_slice(bytes);
            }
            TapEvent::Received(bytes) => {
                first_at = first_at.or(Some(*at));
                end_at = Some(*at);
                received.extend_from_slice(bytes);
            }
        }
    }
    let kept =
        |bytes_of: fn(&TapEvent) -> usize| heard.iter().map(|(_, what)| bytes_of(what) as u64).sum::<u64>();
    let came = kept(|what| if let TapEvent::Received(bytes) = what { bytes.len() } else { 0 });
    let left = kept(|what| if let TapEvent::Sent(bytes) = what { bytes.len() } else { 0 });
    sides(out, &mut sent, &mut received, decode)?;
    for (how, all, kept) in
        [("sent", transcript.result.snapshot.bytes_sent, left), ("received", transcript.received, came)]
    {
        if all > kept {
            writeln!(out, "* {} more bytes were {how} and are not shown", all - kept)?;
        }
    }
    for (name, at) in [("request sent", sent_at), ("first byte of the answer", first_at), ("end", end_at)] {
        if let Some(at) = at {
            writeln!(out, "* {:.3} ms  {name}", ms(at))?;
        }
    }
    let outcomes = &transcript.result.snapshot.outcomes;
    let outcome = Outcome::ALL.iter().find(|outcome| outcomes.get(**outcome) > 0);
    let bad = transcript.result.bad_answers.first();
    let why = bad.map_or(String::new(), |bad| format!(": {}", escape::line(&redact::text(&bad.what))));
    writeln!(out, "* outcome: {}{why}", outcome.map_or("none", |outcome| outcome.name()))
}

/// Both sides of an exchange.
fn sides(
    out: &mut String,
    sent: &mut Vec<u8>,
    received: &mut Vec<u8>,
    decode: Decode<'_>,
) -> std::fmt::Result {
    for (mark, bytes) in [('>', &mut *sent), ('<', &mut *received)] {
        if let Some(lines) = decode(mark == '>', bytes) {
            for line in lines {
                writeln!(out, "{mark} {}", escape::line(&redact::text(&line)))?;
            }
            bytes.clear();
            continue;
        }
        let head = bytes.windows(4).position(|four| four == b"\r\n\r\n").map_or(bytes.len(), |at| at + 4);
        let (head, body) = bytes.split_at(head);
        let shown = &body[..body.len().min(BODY_MAX)];
        for part in [head, shown] {
            let text = redact::text(&String::from_utf8_lossy(part));
            for line in text.lines() {
                writeln!(out, "{mark} {}", escape::line(line.trim_end_matches('\r')))?;
            }
        }
        if body.len() > shown.len() {
            writeln!(out, "* {} more bytes of the body are not shown", body.len() - shown.len())?;
        }
        bytes.clear();
    }
    Ok(())
}
