//! The page that Prometheus scrapes.

#![allow(clippy::disallowed_methods, reason = "scrapers come here")]

use crate::answer::Answer;
use crate::metrics::figures::Cost;
use crate::metrics::hub::{Hub, OutOfTheWay};
use crate::metrics::prometheus::Format;
use hyper::body::{Bytes, Incoming};
use hyper::header::{ACCEPT, HeaderMap};
use hyper::{Method, Request, StatusCode};
use proofload_host::{clock, http};
use proofload_language::tr;
use std::future::ready;
use std::io;
use std::net::SocketAddr;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// The exporter's name among the figures.
const NAME: &str = "prometheus";
const PATH: &str = "/metrics";
/// Greatest age of figures of a run that goes on; a format that is asked for more often is answered with the
/// same page.
const FRESH_NS: u64 = 1_000_000_000;
/// Connections at once: descriptors are the generator's. Further ones wait in the kernel.
const CONNECTIONS_MAX: usize = 16;
/// Longest life of a connection.
const CONNECTION_TIME: Duration = Duration::from_secs(30);
/// Time that the end waits for a page that is on its way.
const END_TIME: Duration = Duration::from_secs(2);
const END_POLL: Duration = Duration::from_millis(5);
/// Header that Prometheus and its relatives send, and people with a browser do not.
const SCRAPER: &str = "x-prometheus-scrape-timeout-seconds";
/// Time that the last scrape is waited for, if the scrape interval is unknown, and at most.
const LAST_SCRAPE_NS: u64 = 15_000_000_000;
const LAST_SCRAPE_MAX_NS: u64 = 60_000_000_000;

/// Serves the figures of a run, on a thread of its own.
pub struct Server {
    pub address: SocketAddr,
    served: Arc<Served>,
    stop: Arc<Notify>,
    thread: Option<JoinHandle<()>>,
}

/// Source of the page, and the state of its readers.
struct Served {
    hub: Arc<Hub>,
    /// True if only this machine is listened to.
    local: bool,
    page: Mutex<Page>,
    /// Each page on its way has one.
    on_its_way: Arc<()>,
    /// Of when the figures were that a scraper had last, to the last byte.
    scraped_ns: AtomicU64,
    /// The longest time from one scrape to the next.
    period_ns: AtomicU64,
}

#[derive(Default)]
struct Page {
    place: OutOfTheWay,
    cost: Cost,
    /// The last page of each format: its version, and when it was made.
    last: [Option<(u64, u64, Bytes)>; 2],
}

/// A page that was made for a reader.
struct Made {
    at_ns: u64,
    bytes: u64,
    scraper: bool,
    _on_its_way: Arc<()>,
}

impl Server {
    /// Starts serving.
    ///
    /// # Errors
    /// If the address cannot be listened on: it is taken, or not this machine's.
    pub fn start(address: SocketAddr, hub: Arc<Hub>) -> io::Result<Server> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let listener = std::net::TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let listener = {
            let _within = runtime.enter();
            TcpListener::from_std(listener)?
        };
        let address = listener.local_addr()?;
        let served = Arc::new(Served {
            hub,
            local: address.ip().is_loopback(),
            page: Mutex::default(),
            on_its_way: Arc::new(()),
            scraped_ns: AtomicU64::new(0),
            period_ns: AtomicU64::new(0),
        });
        let stop = Arc::new(Notify::new());
        let (serving, stopping) = (Arc::clone(&served), Arc::clone(&stop));
        let thread = std::thread::Builder::new().name("prometheus".to_string()).spawn(move || {
            serving.page().place = OutOfTheWay::begin();
            runtime.block_on(serve(listener, &serving, &stopping));
            // A reader that still holds a connection does not delay the end of the run.
            runtime.shutdown_background();
        })?;
        Ok(Server { address, served, stop, thread: Some(thread) })
    }

    /// Address of the figures, as a line.
    pub fn announcement(&self) -> String {
        tr!("metrics-serving", address = self.address.to_string())
    }

    /// Time for which the next scrape is worth waiting; `None` if nothing has scraped.
    pub fn scraper_within_ns(&self) -> Option<u64> {
        let scraped = self.served.scraped_ns.load(Ordering::Relaxed) > 0;
        let period_ns = self.served.period_ns.load(Ordering::Relaxed);
        let usual_ns = if period_ns == 0 { LAST_SCRAPE_NS } else { period_ns + FRESH_NS };
        scraped.then(|| usual_ns.min(LAST_SCRAPE_MAX_NS))
    }

    /// Waits until the figures as they are now were scraped, for a time; returns true if they were.
    pub fn wait_for_scrape(&self, for_ns: u64, stop: &AtomicBool) -> bool {
        let since_ns = clock::monotonic_ns();
        loop {
            if self.served.scraped_ns.load(Ordering::Relaxed) > since_ns {
                return true;
            }
            if stop.load(Ordering::Relaxed) || clock::monotonic_ns() > since_ns + for_ns {
                return false;
            }
            clock::sleep_ns(20_000_000);
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.notify_one();
        let Some(thread) = self.thread.take() else { return };
        if let Err(panic) = thread.join()
            && !std::thread::panicking()
        {
            resume_unwind(panic);
        }
    }
}

/// Serves until the end is near, and then what is on its way.
async fn serve(listener: TcpListener, served: &Arc<Served>, stop: &Notify) {
    let serving = Arc::clone(served);
    let each = move |stream| connection(stream, Arc::clone(&serving));
    let accepting = tokio::spawn(async move { http::accept(listener, CONNECTIONS_MAX, each).await });
    stop.notified().await;
    accepting.abort();
    if let Err(ended) = accepting.await
        && ended.is_panic()
    {
        resume_unwind(ended.into_panic());
    }
    let sent = async {
        while Arc::strong_count(&served.on_its_way) > 1 {
            tokio::time::sleep(END_POLL).await;
        }
    };
    // A reader that takes longer has had its time.
    let _ = tokio::time::timeout(END_TIME, sent).await;
}

async fn connection(stream: TcpStream, served: Arc<Served>) {
    let made = OnceLock::new();
    let answer = |request| ready(served.answer(&request, &made).response());
    let whole = http::answer(stream, CONNECTION_TIME, answer).await;
    if let Some(made) = made.get() {
        served.is_over(made, whole);
    }
}

impl Served {
    fn page(&self) -> MutexGuard<'_, Page> {
        self.page.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self, request: &Request<Incoming>, made: &OnceLock<Made>) -> Answer {
        if self.local && http::own_host(request.uri(), request.headers()).is_none() {
            return Answer::text(
                StatusCode::FORBIDDEN,
                "the page of figures is for this machine only; ask for it by the address that Proofload said",
            );
        }
        if request.method() != Method::GET && request.method() != Method::HEAD {
            return Answer::text(StatusCode::METHOD_NOT_ALLOWED, "");
        }
        match request.uri().path() {
            "/" => Answer::text(StatusCode::OK, &format!("Proofload serves the figures of a run at {PATH}")),
            PATH => {
                let (format, body) = self.made(request.headers(), made);
                Answer { status: StatusCode::OK, kind: format.content_type(), body, etag: None }
            }
            _ => Answer::text(StatusCode::NOT_FOUND, ""),
        }
    }

    /// The figures as they are now, or were a moment ago.
    fn made(&self, headers: &HeaderMap, made: &OnceLock<Made>) -> (Format, Bytes) {
        let accept = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let format = Format::accepted(accept);
        let mut page = self.page();
        page.place.follow(&self.hub);
        let (version, over) = self.hub.version();
        let now_ns = clock::monotonic_ns();
        let fresh = |(known, at_ns, _): &(u64, u64, Bytes)| match over {
            true => *known == version,
            false => *at_ns + FRESH_NS > now_ns,
        };
        let last = &mut page.last[format as usize];
        let known = last.take().filter(fresh);
        let (.., text) =
            last.insert(known.unwrap_or_else(|| (version, now_ns, self.hub.figures().text(format).into())));
        let text = text.clone();
        let _ = made.set(Made {
            at_ns: now_ns,
            bytes: text.len() as u64,
            scraper: headers.contains_key(SCRAPER),
            _on_its_way: Arc::clone(&self.on_its_way),
        });
        (format, text)
    }

    /// A page was sent, or was not.
    fn is_over(&self, made: &Made, whole: bool) {
        let mut page = self.page();
        page.cost = Cost {
            cpu_ns: clock::thread_cpu_ns(),
            bytes: page.cost.bytes + made.bytes,
            done: page.cost.done + u64::from(whole),
            failed: page.cost.failed + u64::from(!whole),
        };
        self.hub.spent(NAME, page.cost);
        if made.scraper && whole {
            let before_ns = self.scraped_ns.fetch_max(made.at_ns, Ordering::Relaxed);
            if before_ns > 0 {
                self.period_ns.fetch_max(made.at_ns.saturating_sub(before_ns), Ordering::Relaxed);
            }
        }
    }
}
