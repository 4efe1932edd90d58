//! One misbehaviour: the actions of the server, the requests, and the outcomes that the exchanges must have.

use proofload_measure::Outcome;
use proofload_testkit::ScriptStep;
use std::time::Duration;

/// A whole answer.
pub const GOOD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
/// Larger than what the kernel keeps for both ends of a connection.
pub const UPLOAD_BYTES: usize = 48 << 20;

/// A time-out that must not come.
pub const PATIENT_MS: u64 = 50_000;
/// A time-out that must come.
pub const HURRIED_MS: u64 = 250;

/// Place of the server.
#[derive(Clone, Debug)]
pub enum Server {
    /// Plays a script on each connection.
    Plays(Vec<Vec<ScriptStep>>),
    /// Nothing listens.
    Refuses,
    /// The listen queue is full.
    Deaf,
    /// An address that no connection can be made to.
    Unreachable,
}

/// Request to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    Get,
    Head,
    Upload,
}

/// Expectation of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    Nothing,
    Bytes(u64),
    Text(&'static str),
}

/// One misbehaviour.
#[derive(Clone, Debug)]
pub struct Case {
    /// Completes the sentence "the server …".
    pub name: String,
    pub server: Server,
    pub ask: Ask,
    pub requests: u64,
    /// The time-outs where they must come; long where they must not.
    pub waits_ms: u64,
    /// True if each exchange has a connection of its own.
    pub fresh: bool,
    /// A pause between the exchanges that is longer than anything the server does in it.
    pub thinks: bool,
    pub expects: Expected,
    /// Number of exchanges with each outcome.
    pub outcomes: Vec<(Outcome, u64)>,
    /// True if the connection must serve all exchanges.
    pub kept: bool,
    /// Other allowed outcome of the one exchange, where two things race in the kernel.
    pub or: Option<Outcome>,
}

/// A case of a server that plays one script on every connection.
pub fn plays(name: impl Into<String>, script: Vec<ScriptStep>) -> Case {
    Case {
        name: name.into(),
        server: Server::Plays(vec![script]),
        ask: Ask::Get,
        requests: 1,
        waits_ms: PATIENT_MS,
        fresh: false,
        thinks: false,
        expects: Expected::Nothing,
        outcomes: Vec::new(),
        kept: false,
        or: None,
    }
}

/// A case of a server that answers a request with these bytes and waits.
pub fn answers(name: impl Into<String>, bytes: impl AsRef<[u8]>) -> Case {
    plays(name, vec![ScriptStep::AwaitRequest, send(bytes)])
}

/// Bytes, at once.
pub fn send(bytes: impl AsRef<[u8]>) -> ScriptStep {
    ScriptStep::Send(bytes.as_ref().to_vec())
}

/// Milliseconds.
pub fn pause(ms: u64) -> ScriptStep {
    ScriptStep::Pause(Duration::from_millis(ms))
}

impl Case {
    /// All exchanges end so.
    pub fn is(mut self, outcome: Outcome) -> Case {
        self.outcomes = vec![(outcome, self.requests)];
        self
    }

    /// Another allowed outcome: the order of two events is not determined.
    pub fn or(mut self, outcome: Outcome) -> Case {
        self.or = Some(outcome);
        self
    }

    /// Two exchanges; the first ends so, the second so.
    pub fn then(mut self, first: Outcome, second: Outcome) -> Case {
        self.requests = 2;
        self.outcomes = if first == second { vec![(first, 2)] } else { vec![(first, 1), (second, 1)] };
        self
    }

    /// On one connection.
    pub fn kept(mut self) -> Case {
        self.kept = true;
        if let Server::Plays(scripts) = &mut self.server {
            scripts
                .iter_mut()
                .for_each(|script| *script = vec![script.clone(); self.requests as usize].concat());
        }
        self
    }

    pub fn asked(mut self, ask: Ask) -> Case {
        self.ask = ask;
        self
    }

    pub fn hurried(mut self) -> Case {
        self.waits_ms = HURRIED_MS;
        self
    }

    pub fn fresh(mut self) -> Case {
        self.fresh = true;
        self
    }

    pub fn thinking(mut self) -> Case {
        self.thinks = true;
        self
    }

    pub fn expecting(mut self, expects: Expected) -> Case {
        self.expects = expects;
        self
    }

    pub fn at(mut self, server: Server) -> Case {
        self.server = server;
        self
    }

    /// A row of the table in docs/outcomes.md.
    pub fn row(&self) -> String {
        let times = if self.requests == 1 { String::new() } else { format!("{} × ", self.requests) };
        let what = match self.ask {
            Ask::Get => "GET".to_string(),
            Ask::Head => "HEAD".to_string(),
            Ask::Upload => format!("POST of {} MiB", UPLOAD_BYTES >> 20),
        };
        let outcomes: Vec<String> = self
            .outcomes
            .iter()
            .map(|(outcome, n)| match self.requests {
                1 => format!("`{}`", outcome.name()),
                _ => format!("{n} `{}`", outcome.name()),
            })
            .collect();
        let or = self.or.map(|outcome| format!(" or `{}`", outcome.name())).unwrap_or_default();
        format!("| {} | {times}{what} | {}{or} |", self.name, outcomes.join(", "))
    }
}
