//! Pages over HTTP of this machine: a few connections at once, one request for each, with limits of bytes and time.

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{HOST, HeaderMap};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, Uri};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

/// Most bytes of a request's head.
const HEAD_BYTES_MAX: usize = 16 << 10;
/// Most header fields of a request.
const HEADERS_MAX: usize = 64;
/// Longest time that the head of a request may take to arrive.
const HEAD_TIME: Duration = Duration::from_secs(5);
/// Name of this machine for itself.
const LOCAL: &str = "localhost";
/// Pause after a connection could not be accepted.
const PAUSE: Duration = Duration::from_millis(100);

/// Has `each` serve every connection, at most `at_once` of them at a time; further ones wait in the kernel.
pub async fn accept<F>(listener: TcpListener, at_once: usize, each: impl Fn(TcpStream) -> F) -> Infallible
where
    F: Future<Output = ()> + Send + 'static,
{
    let places = Arc::new(Semaphore::new(at_once));
    loop {
        let place = Arc::clone(&places).acquire_owned().await;
        match listener.accept().await {
            Ok((stream, _)) => {
                let served = each(stream);
                tokio::spawn(async move {
                    served.await;
                    drop(place);
                });
            }
            // No descriptor is left, or the other side has gone again.
            Err(_) => tokio::time::sleep(PAUSE).await,
        }
    }
}

/// Serves one request, which together with its answer may take `within`; returns true if it went well to the last byte.
/// A second request takes a second connection, so that a limit of its time limits the request.
pub async fn answer<F>(
    stream: TcpStream,
    within: Duration,
    answer_to: impl Fn(Request<Incoming>) -> F,
) -> bool
where
    F: Future<Output = Response<Full<Bytes>>>,
{
    let service = service_fn(|request| {
        let answered = answer_to(request);
        async move { Ok::<_, Infallible>(answered.await) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(HEAD_BYTES_MAX)
        .max_headers(HEADERS_MAX)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service);
    matches!(tokio::time::timeout(within, served).await, Ok(Ok(())))
}

/// The host that a request is for, where that is this machine by a name of its own. A page elsewhere whose name was made to
/// lead here (DNS rebinding) has another.
pub fn own_host<'a>(uri: &Uri, headers: &'a HeaderMap) -> Option<&'a str> {
    let host = only_host(headers)?;
    let name = name_of(host);
    let address = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(name);
    let is_own = name == LOCAL || address.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    // `GET http://elsewhere/ HTTP/1.1`: the address counts there, and Host does not.
    (is_own && uri.authority().is_none()).then_some(host)
}

/// Host, which must be there once.
fn only_host(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(HOST).iter();
    let first = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(first)
}

/// A host without its port. Any port may be named: SSH forwards have their own.
fn name_of(host: &str) -> &str {
    let is_port = |port: &str| !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
    match host.rsplit_once(':') {
        Some((name, port)) if is_port(port) => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_few_names() {
        let is_own = |target: &str, hosts: &[&str]| {
            let request = Request::builder().uri(target);
            let request = hosts.iter().fold(request, |request, host| request.header(HOST, *host));
            let (head, ()) = request.body(()).expect("a request").into_parts();
            own_host(&head.uri, &head.headers).is_some()
        };
        for host in ["localhost", "localhost:80", "127.0.0.1:9464", "127.0.0.2", "[::1]", "[::1]:9464"] {
            assert!(is_own("/", &[host]), "{host}");
        }
        for host in ["", "a.example", "127.0.0.1.a.example:80", "localhost:x", "192.0.2.1:80", "[::1", "::1"]
        {
            assert!(!is_own("/", &[host]), "{host}");
        }
        assert!(!is_own("/", &[]) && !is_own("/", &["localhost", "localhost"]), "once");
        assert!(!is_own("http://a.example/", &["localhost"]));
    }
}
