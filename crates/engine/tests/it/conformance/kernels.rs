//! Requirements on drivers of the kernel's sockets that a simulation cannot show.

use super::*;
use proofload_engine::Address;
use rustix::net::sockopt as socket;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;

/// A Unix socket of a name of its own whose queue has room for one connection.
struct Narrow {
    listener: UnixListener,
    path: PathBuf,
}

impl Narrow {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("proofload-{}-{name}.sock", std::process::id()));
        let _was_not_there = std::fs::remove_file(&path);
        let flags = SocketFlags::CLOEXEC;
        let fd: OwnedFd =
            rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None).unwrap();
        rustix::net::bind(&fd, &SocketAddrUnix::new(&path).unwrap()).unwrap();
        // The kernel refuses once more than the backlog wait.
        rustix::net::listen(&fd, 0).unwrap();
        Narrow { listener: fd.into(), path }
    }

    fn accept(&self) -> UnixStream {
        self.listener.accept().unwrap().0
    }
}

impl Drop for Narrow {
    fn drop(&mut self) {
        let _is_gone = std::fs::remove_file(&self.path);
    }
}

/// A driver, and nothing of the grounds of other cases.
struct Alone<D>(D);

impl<D: Kernels> Ground for Alone<D> {
    type Driver = D;

    fn build(_scripts: Vec<Vec<ScriptStep>>) -> Self {
        Alone(D::make())
    }

    fn driver(&mut self) -> &mut D {
        &mut self.0
    }

    fn address(&self) -> SocketAddr {
        unreachable!("these cases have peers of their own")
    }

    fn refusing(&self) -> SocketAddr {
        self.address()
    }

    fn finish(self) -> Vec<Vec<u8>> {
        Vec::new()
    }
}

/// Turns for that long.
fn pass<G: Ground>(ground: &mut G, notes: &mut Notes, ns: u64) {
    let end_ns = ground.driver().net().now_ns() + ns;
    while ground.driver().net().now_ns() < end_ns {
        ground.driver().poll(Wake { at_ns: end_ns, exact: false }, notes).unwrap();
    }
}

fn a_full_unix_listen_queue_is_waited_for_in_line<D: Kernels>(name: &str) {
    let narrow = Narrow::new(name);
    let to: Target = Address::Unix(narrow.path.clone()).into();
    let mut ground = Alone::<D>::build(Vec::new());
    let mut notes = Notes::new();
    let net = ground.driver().net();
    assert_eq!(net.dial(0, &to, None), Dialed::Established);
    assert_eq!(net.dial(1, &to, None), Dialed::Pending);
    assert_eq!(net.dial_sending(2, &to, None, b"not yet"), (Dialed::Pending, None));
    assert_eq!(net.dial(3, &to, None), Dialed::Pending);
    pass(&mut ground, &mut notes, 5_000_000);
    assert!(notes.seen.is_empty(), "{:?}", notes.seen);
    // Who gives up leaves the line.
    ground.driver().net().close(1);
    let _first = narrow.accept();
    until(&mut ground, &mut notes, |n| !n.seen.is_empty());
    assert_eq!(notes.seen, [Seen::Dialed(2, Ok(()))]);
    let mut second = narrow.accept();
    send_all(&mut ground, &mut notes, 2, b"now");
    pass(&mut ground, &mut notes, 1_000_000);
    let mut got = [0; 3];
    second.read_exact(&mut got).unwrap();
    assert_eq!(&got, b"now");
    second.write_all(b"heard").unwrap();
    until(&mut ground, &mut notes, |n| n.of(2) == b"heard" && n.seen.len() == 2);
    assert_eq!(notes.seen[1], Seen::Dialed(3, Ok(())));
}

fn who_stands_in_line_hears_that_the_listener_is_gone<D: Kernels>(name: &str) {
    let narrow = Narrow::new(name);
    let to: Target = Address::Unix(narrow.path.clone()).into();
    let mut ground = Alone::<D>::build(Vec::new());
    let mut notes = Notes::new();
    assert_eq!(ground.driver().net().dial(0, &to, None), Dialed::Established);
    assert_eq!(ground.driver().net().dial(1, &to, None), Dialed::Pending);
    drop(narrow);
    until(&mut ground, &mut notes, |n| n.seen.iter().any(|seen| matches!(seen, Seen::Dialed(1, Err(_)))));
    assert_eq!(
        ground.driver().net().dial(1, &to, None),
        Dialed::Failed(DialFault::Other),
        "it is free again"
    );
}

/// A connection over TCP, and its other end.
fn pair<D: Kernels>(ground: &mut Alone<D>, notes: &mut Notes) -> TcpStream {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let to: Target = listener.local_addr().unwrap().into();
    if ground.driver().net().dial(0, &to, None) == Dialed::Pending {
        until(ground, notes, |n| n.seen == [Seen::Dialed(0, Ok(()))]);
    }
    notes.seen.clear();
    pass(ground, notes, 1_000_000);
    listener.accept().unwrap().0
}

fn what_is_said_to_be_sent_the_kernel_has_at_that_instant<D: Kernels>(_name: &str) {
    let mut ground = Alone::<D>::build(Vec::new());
    let mut notes = Notes::new();
    let mut peer = pair(&mut ground, &mut notes);
    peer.set_nonblocking(true).unwrap();
    notes.unsent = b"hello".to_vec();
    notes.push(ground.driver().net(), 0);
    let queued = notes.queued > 0;
    assert_eq!(notes.told, if queued { 0 } else { 5 });
    let held_up_until = ground.driver().net().now_ns() + 2_000_000;
    while ground.driver().net().now_ns() < held_up_until {}
    let mut got = [0; 8];
    // What is queued has not left, whatever the generator was busy with.
    assert_eq!(peer.read(&mut got).is_ok(), !queued);
    pass(&mut ground, &mut notes, 1_000_000);
    assert_eq!((notes.told, notes.queued), (5, 0));
    assert!(!queued || notes.left_ns.is_some_and(|at_ns| at_ns >= held_up_until), "{:?}", notes.left_ns);
    assert!(!queued || peer.read(&mut got).is_ok_and(|got| got == 5));
}

fn what_meets_a_reset_was_not_sent<D: Kernels>(_name: &str) {
    let mut ground = Alone::<D>::build(Vec::new());
    let mut notes = Notes::new();
    let peer = pair(&mut ground, &mut notes);
    socket::set_socket_linger(&peer, Some(Duration::ZERO)).unwrap();
    drop(peer);
    notes.unsent = b"hello".to_vec();
    notes.push(ground.driver().net(), 0);
    until(&mut ground, &mut notes, |n| n.closed(0).is_some());
    assert_eq!(notes.seen, [Seen::Closed(0, Close::Reset)]);
    assert_eq!(notes.told, 0);
}

/// Puts what cannot be sent to in the place of the socket whose other end that is.
fn spoil(peer: &TcpStream) {
    let (here, there) = (peer.peer_addr().unwrap(), peer.local_addr().unwrap());
    let nothing = std::fs::File::open("/dev/null").unwrap();
    let is_it = |fd: &RawFd| {
        // SAFETY: the number is used for two questions only, which any number may be asked.
        let fd = unsafe { BorrowedFd::borrow_raw(*fd) };
        let local = rustix::net::getsockname(fd).ok().and_then(|of| SocketAddr::try_from(of).ok());
        let remote = rustix::net::getpeername(fd).ok().flatten();
        local == Some(here) && remote.and_then(|of| SocketAddr::try_from(of).ok()) == Some(there)
    };
    let fd = (3..4096).find(is_it).unwrap();
    // SAFETY: the driver goes on owning the number.
    assert_eq!(unsafe { libc::dup2(nothing.as_raw_fd(), fd) }, fd);
}

fn what_the_kernel_refuses_to_send_was_not_sent<D: Kernels>(_name: &str) {
    let mut ground = Alone::<D>::build(Vec::new());
    let mut notes = Notes::new();
    let peer = pair(&mut ground, &mut notes);
    spoil(&peer);
    notes.unsent = b"hello".to_vec();
    notes.push(ground.driver().net(), 0);
    until(&mut ground, &mut notes, |n| !n.seen.is_empty());
    assert_eq!(notes.seen, [Seen::Unsent(0)]);
    assert_eq!(notes.told, 0);
    ground.driver().net().close(0);
    pass(&mut ground, &mut notes, 1_000_000);
    assert_eq!(notes.seen, [Seen::Unsent(0)]);
}

macro_rules! over_every_kernel {
    ($($case:ident),+ $(,)?) => {
        mod epoll {
            $(#[test] fn $case() { super::$case::<Epoll>(concat!("epoll-", stringify!($case))); })+
            use super::Epoll;
        }
        mod uring {
            $(#[test] fn $case() {
                if is_usable(DriverChoice::IoUring) {
                    super::$case::<Uring>(concat!("uring-", stringify!($case)));
                }
            })+
            use super::{DriverChoice, Uring, is_usable};
        }
    };
}

over_every_kernel!(
    a_full_unix_listen_queue_is_waited_for_in_line,
    who_stands_in_line_hears_that_the_listener_is_gone,
    what_is_said_to_be_sent_the_kernel_has_at_that_instant,
    what_meets_a_reset_was_not_sent,
    what_the_kernel_refuses_to_send_was_not_sent,
);
