//! Requests in, answers out: one request for each connection, a few connections at once, one page made at a time.

#![allow(clippy::disallowed_methods, reason = "a browser asks here")]

use crate::answer::Answer;
use crate::ui::UiError;
use crate::ui::gate::{Refusal, admitted};
use crate::ui::records::Records;
use crate::ui::route::Route;
use crate::ui::site::{Site, file};
use crate::ui::token::Token;
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header;
use hyper::{Request, Response, StatusCode};
use proofload_host::{cpus, http, lock, sched_idle};
use proofload_language::{Language, tr};
use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, OwnedMutexGuard, oneshot};

/// Connections at once; further ones wait in the kernel.
const CONNECTIONS_MAX: usize = 32;
/// Longest life of a connection: a report of a large record takes seconds.
const CONNECTION_TIME: Duration = Duration::from_secs(120);

pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    token: Token,
    language: Language,
    site: Arc<Mutex<Site>>,
}

impl Server {
    /// Listens on the loopback address, and answers in the language of the calling thread. `dir` holds `runs/`; port 0
    /// is a free one.
    ///
    /// # Errors
    /// If the port is taken or not allowed, or there are no random numbers for the token.
    pub fn bind(dir: &Path, port: u16) -> Result<Server, UiError> {
        let listening = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).and_then(|listener| {
            listener.set_nonblocking(true)?;
            Ok((listener.local_addr()?, listener))
        });
        let (address, listener) = listening.map_err(|source| UiError::Listen { port, source })?;
        let token = Token::random()?;
        let site = Site::new(format!("/{}", token.text()), Records::within(dir));
        let shared = Shared { token, language: Language::spoken(), site: Arc::new(Mutex::new(site)) };
        Ok(Server { listener, address, shared: Arc::new(shared) })
    }

    /// The address to open, with its token: with it the runs can be read.
    pub fn url(&self) -> String {
        format!("http://{}/{}/", self.address, self.shared.token.text())
    }

    /// Answers until the process ends. The calling thread leaves the CPUs that a generator would have.
    ///
    /// # Errors
    /// If the thread cannot wait for connections.
    pub fn serve(self) -> Result<Infallible, UiError> {
        let _kept_off = cpus::KeptOff::these(&cpus::share(&cpus::allowed()).generator);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.map_err(UiError::Runtime)?.block_on(self.accept())
    }

    async fn accept(self) -> Result<Infallible, UiError> {
        let listener = tokio::net::TcpListener::from_std(self.listener).map_err(UiError::Runtime)?;
        let shared = self.shared;
        let each = move |stream| {
            let shared = Arc::clone(&shared);
            async move {
                // A client that broke it off knows.
                let _ = http::answer(stream, CONNECTION_TIME, |request| shared.answer(request)).await;
            }
        };
        Ok(http::accept(listener, CONNECTIONS_MAX, each).await)
    }
}

impl Shared {
    async fn answer(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let (head, _) = request.into_parts();
        let route = match admitted(&head, &self.token) {
            Ok(path) => Route::of(path, head.uri.query().unwrap_or_default()),
            Err(refusal) => return self.language.within(|| refused(refusal)).response(),
        };
        if let Some(answer) = file(&route) {
            return answer.response();
        }
        let known =
            head.headers.get(header::IF_NONE_MATCH).and_then(|name| name.to_str().ok()).map(str::to_string);
        let site = Arc::clone(&self.site).lock_owned().await;
        let made = made(site, route, known, self.language).await;
        let failed = || Answer::text(StatusCode::INTERNAL_SERVER_ERROR, tr!("ui-failed"));
        made.unwrap_or_else(|| self.language.within(failed)).response()
    }
}

/// A page, made by a thread of its own: it steps aside while another process measures, and could not come back. `None`
/// when no thread begins, or it panics.
async fn made(
    mut site: OwnedMutexGuard<Site>,
    route: Route,
    known: Option<String>,
    language: Language,
) -> Option<Answer> {
    let (done, made) = oneshot::channel();
    let work = move || {
        if !matches!(lock::holder(), Ok(None)) {
            // Refused: it works at the usual priority.
            let _ = sched_idle::enter();
        }
        let answer = language.within(|| site.answer(&route, known.as_deref()));
        // The next one may begin before this one has been sent.
        drop(site);
        let _ = done.send(answer);
    };
    std::thread::Builder::new().name("page".to_string()).spawn(work).ok()?;
    made.await.ok()
}

fn refused(refusal: Refusal) -> Answer {
    let why = match refusal {
        Refusal::Host => tr!("ui-refused-host"),
        Refusal::Token => tr!("ui-refused-token"),
        Refusal::Origin => tr!("ui-refused-origin"),
        Refusal::Method => tr!("ui-refused-method"),
        Refusal::Body => tr!("ui-refused-body"),
    };
    Answer::text(refusal.status(), why)
}
