//! Answers, or ends of connections, that are not what was asked for: redirects alone, a question for credentials, silent ends.

use crate::figures::{errors, outcome};
use crate::merge::redirects_of;
use proofload_facts::{Finding, Limit};
use proofload_store::schema::Point;

/// All of them, each with what to write instead.
pub(super) fn misled(variant: &str, points: &[&Point]) -> Vec<Limit> {
    let limits =
        [all_redirected(variant, points), asks_who(variant, points), ends_connections(variant, points)];
    limits.into_iter().flatten().collect()
}

/// Every exchange was answered by a redirect, and none was followed.
fn all_redirected(variant: &str, points: &[&Point]) -> Option<Limit> {
    let sum =
        |of: &dyn Fn(&Point) -> u64| points.iter().fold(0_u64, |sum, point| sum.saturating_add(of(point)));
    let redirects = sum(&redirects_of);
    let exchanges = sum(&|point| errors(point).saturating_add(outcome(point, "answered")));
    let answered = sum(&|point| outcome(point, "answered"));
    if answered == 0 || redirects != exchanges || sum(&|point| point.redirects) > 0 {
        return None;
    }
    let status = points.iter().flat_map(|point| &point.codes).max_by_key(|(_, n)| **n)?.0.clone();
    let to = points.iter().find_map(|point| match &point.cause {
        Some(Finding::RedirectsTo { to }) => Some(to.clone()),
        _ => None,
    });
    let variant = variant.to_string();
    Some(Limit::AllRedirected { variant, redirects, status, to: to.unwrap_or_default() })
}

/// A refusal says what is asked for: the first scheme that Proofload speaks, else the first.
fn asks_who(variant: &str, points: &[&Point]) -> Option<Limit> {
    let bad = points.iter().flat_map(|point| &point.bad_answers);
    let asked = bad.filter(|bad| bad.outcome == "rejected").flat_map(|bad| challenges(&bad.received));
    let (scheme, realm) = asked.min_by_key(|(scheme, _)| !SPOKEN.contains(&scheme.as_str()))?;
    Some(Limit::AsksWho { variant: variant.to_string(), scheme, realm })
}

/// Schemes that Proofload speaks.
const SPOKEN: [&str; 3] = ["digest", "basic", "bearer"];

/// The schemes that an answer with status 401 names, each with its realm (RFC 9110, section 11.6.1).
fn challenges(received: &str) -> Vec<(String, String)> {
    let mut lines = received.split("\r\n");
    let mut found = Vec::new();
    if lines.next().and_then(|line| line.split(' ').nth(1)) != Some("401") {
        return found;
    }
    let shown = |text: &str| text.chars().take(SHOWN_MAX).collect::<String>();
    let fields = lines.take_while(|line| !line.is_empty()).filter_map(|line| line.split_once(':'));
    for (_, value) in fields.filter(|(name, _)| name.eq_ignore_ascii_case("www-authenticate")) {
        let mut is_quoted = false;
        let parts = value.split(|letter: char| {
            is_quoted ^= letter == '"';
            letter == ',' && !is_quoted
        });
        for part in parts.map(str::trim).filter(|part| !part.is_empty()) {
            // A parameter belongs to the scheme before it.
            let (first, rest) = part.split_once(' ').unwrap_or((part, ""));
            if !first.contains('=') && !rest.trim_start().starts_with('=') {
                found.push((shown(first).to_ascii_lowercase(), String::new()));
            }
            let realm = part.split_once("realm=\"").and_then(|(_, rest)| rest.split('"').next());
            if let Some((found, realm)) = found.last_mut().zip(realm) {
                found.1 = shown(realm);
            }
        }
    }
    found
}

/// Most letters that are shown of what a server says.
const SHOWN_MAX: usize = 80;
/// Fewest connections that show a rule.
const ENDED_MIN: u64 = 3;
/// One exchange fails for as many connections at least that are ended in a rule's way while they are asked.
const FAILED_OF_ENDED: u64 = 10;

/// The server ends connections after the same number of exchanges each, and others fail for it.
fn ends_connections(variant: &str, points: &[&Point]) -> Option<Limit> {
    let ended = || points.iter().filter_map(|point| point.ended_by_server);
    let connections = ended().fold(0_u64, |sum, ended| sum.saturating_add(ended.connections));
    let (fewest, most) = (ended().map(|ended| ended.fewest).min()?, ended().map(|ended| ended.most).max()?);
    let hit = ["closed_early", "reset_reused"];
    let failed = points.iter().flat_map(|point| hit.map(|kind| outcome(point, kind)));
    let failed = failed.fold(0, u64::saturating_add);
    // After idleness, too, a server ends connections; then it seldom hits an exchange.
    let is_rule = fewest == most && connections >= ENDED_MIN && failed >= connections / FAILED_OF_ENDED;
    (is_rule && failed > 0).then(|| Limit::EndsConnections {
        variant: variant.to_string(),
        connections,
        exchanges: most,
        failed,
        keep_alive: if most == 1 { "off".to_string() } else { most.to_string() },
    })
}
