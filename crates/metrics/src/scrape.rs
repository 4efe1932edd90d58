//! The page that Prometheus scrapes.

use crate::figures::Cost;
use crate::hub::{Hub, OutOfTheWay};
use crate::messages;
use crate::prometheus::Format;
use axum::Router;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::{ACCEPT, CONTENT_TYPE};
use axum::response::IntoResponse;
use axum::routing::get;
use axum::serve::Listener;
use proofload_host::clock;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::thread::JoinHandle;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// The exporter's name among the figures.
const NAME: &str = "prometheus";
/// Where the figures are.
const PATH: &str = "/metrics";
/// How old figures may be; whoever asks more often gets the same again.
const FRESH_NS: u64 = 1_000_000_000;
/// Open connections: descriptors are the generator's.
const CONNECTIONS_MAX: usize = 16;
/// What Prometheus and its relatives say, and people with a browser do not.
const SCRAPER: &str = "x-prometheus-scrape-timeout-seconds";
/// How long the last scrape is waited for, where nobody knows how often there is one, and at most.
const LAST_SCRAPE_NS: u64 = 15_000_000_000;
const LAST_SCRAPE_MAX_NS: u64 = 60_000_000_000;

/// Serves the figures of a run, on a thread of its own.
pub struct Server {
    /// Where.
    pub address: SocketAddr,
    served: Arc<Served>,
    stop: Arc<Notify>,
    thread: Option<JoinHandle<()>>,
}

/// What the page is made of, and what became of it.
struct Served {
    hub: Arc<Hub>,
    page: Mutex<Page>,
    scraped_ns: AtomicU64,
    /// The longest time from one scrape to the next.
    period_ns: AtomicU64,
}

#[derive(Default)]
struct Page {
    place: OutOfTheWay,
    cost: Cost,
    /// What was served last: of which version, when, as what.
    last: Option<(u64, u64, Format, String)>,
}

impl Server {
    /// Begins to serve.
    ///
    /// # Errors
    /// When the address cannot be listened on: it is taken, or not this machine's.
    pub fn start(address: SocketAddr, hub: Arc<Hub>) -> io::Result<Server> {
        let listener = std::net::TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let served = Arc::new(Served {
            hub,
            page: Mutex::default(),
            scraped_ns: AtomicU64::new(0),
            period_ns: AtomicU64::new(0),
        });
        let stop = Arc::new(Notify::new());
        let (serving, stopping) = (Arc::clone(&served), Arc::clone(&stop));
        let thread = std::thread::Builder::new().name("prometheus".to_string()).spawn(move || {
            serving.page.lock().unwrap_or_else(PoisonError::into_inner).place = OutOfTheWay::begin();
            let router = Router::new().route("/", get(front)).route(PATH, get(page)).with_state(serving);
            runtime.spawn(async move {
                let listener = Few { listener: TcpListener::from_std(listener)?, open: Arc::new(()) };
                axum::serve(listener, router).await
            });
            runtime.block_on(stopping.notified());
            // Whoever still holds a connection does not hold the end of the run.
            runtime.shutdown_background();
        })?;
        Ok(Server { address, served, stop, thread: Some(thread) })
    }

    /// Says where the figures are.
    pub fn announcement(&self) -> String {
        messages::serving(self.address)
    }

    /// Whether somebody scrapes who comes again, and how long the last scrape is worth waiting for.
    pub fn scraper_within_ns(&self) -> Option<u64> {
        let scraped = self.served.scraped_ns.load(Ordering::Relaxed) > 0;
        let period_ns = self.served.period_ns.load(Ordering::Relaxed);
        let usual_ns = if period_ns == 0 { LAST_SCRAPE_NS } else { period_ns + FRESH_NS };
        scraped.then(|| usual_ns.min(LAST_SCRAPE_MAX_NS))
    }

    /// Waits until the figures as they are now were scraped, for a time; says whether they were.
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
        if let Some(thread) = self.thread.take() {
            // It has nothing to say at its end.
            let _ = thread.join();
        }
    }
}

async fn front() -> impl IntoResponse {
    messages::front(PATH)
}

async fn page(State(served): State<Arc<Served>>, headers: HeaderMap) -> impl IntoResponse {
    let accept = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let format = Format::accepted(accept);
    let text = served.text(format, headers.contains_key(SCRAPER));
    ([(CONTENT_TYPE, format.content_type())], text)
}

impl Served {
    fn text(&self, format: Format, scraper: bool) -> String {
        let mut page = self.page.lock().unwrap_or_else(PoisonError::into_inner);
        page.place.follow(&self.hub);
        let (version, over) = self.hub.version();
        let now_ns = clock::monotonic_ns();
        let fresh = |(known, at_ns, known_format, _): &(u64, u64, Format, String)| {
            *known_format == format && if over { *known == version } else { *at_ns + FRESH_NS > now_ns }
        };
        if !page.last.as_ref().is_some_and(fresh) {
            let text = self.hub.figures().text(format);
            page.last = Some((version, now_ns, format, text));
        }
        let text = page.last.as_ref().map_or_else(String::new, |(_, _, _, text)| text.clone());
        page.cost = Cost {
            cpu_ns: clock::thread_cpu_ns(),
            bytes: page.cost.bytes + text.len() as u64,
            done: page.cost.done + 1,
            failed: 0,
        };
        self.hub.spent(NAME, page.cost);
        if scraper {
            let before_ns = self.scraped_ns.swap(now_ns, Ordering::Relaxed);
            if before_ns > 0 {
                self.period_ns.fetch_max(now_ns - before_ns, Ordering::Relaxed);
            }
        }
        text
    }
}

/// A listener that has few connections at once; one too many is closed.
struct Few {
    listener: TcpListener,
    /// Each open connection has one.
    open: Arc<()>,
}

/// One of few connections.
struct One {
    stream: TcpStream,
    _open: Arc<()>,
}

impl Listener for Few {
    type Io = One;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (One, SocketAddr) {
        loop {
            let (stream, peer) = Listener::accept(&mut self.listener).await;
            if Arc::strong_count(&self.open) <= CONNECTIONS_MAX {
                return (One { stream, _open: Arc::clone(&self.open) }, peer);
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

impl AsyncRead for One {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        to: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, to)
    }
}

impl AsyncWrite for One {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
