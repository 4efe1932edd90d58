//! Sockets on their way to a connection.

use super::DialFault;
use crate::Address;
use rustix::io::Errno;
use rustix::net::{AddressFamily, SendFlags, SocketAddrUnix, SocketFlags, SocketType, sockopt};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsRawFd, OwnedFd};

/// Maps the kernel's error to the fault of a dial.
pub(super) fn dial_fault(errno: Errno) -> DialFault {
    match errno {
        Errno::CONNREFUSED => DialFault::Refused,
        Errno::TIMEDOUT => DialFault::TimedOut,
        Errno::CONNRESET => DialFault::Reset,
        Errno::ADDRNOTAVAIL => DialFault::NoPort,
        Errno::MFILE | Errno::NFILE | Errno::NOBUFS | Errno::NOMEM => DialFault::NoDescriptor,
        _ => DialFault::Other,
    }
}

/// Result of beginning to connect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Begun {
    /// The connection is established or will be.
    Connecting,
    /// The queue of a Unix listener is full: nothing has begun.
    NoRoom,
}

pub(super) fn connect(fd: &OwnedFd, to: &Address) -> Result<Begun, Errno> {
    let connected = match to {
        Address::Tcp(to) => rustix::net::connect(fd, to),
        Address::Unix(path) => rustix::net::connect(fd, &SocketAddrUnix::new(path)?),
    };
    match connected {
        Ok(()) | Err(Errno::INPROGRESS | Errno::INTR) => Ok(Begun::Connecting),
        Err(Errno::AGAIN) if matches!(to, Address::Unix(_)) => Ok(Begun::NoRoom),
        Err(errno) => Err(errno),
    }
}

/// Returns `Ok(true)` once a pending dial has succeeded, `Ok(false)` while it has not ended.
pub(super) fn dial_result(fd: &OwnedFd) -> Result<bool, DialFault> {
    match sockopt::socket_error(fd) {
        Ok(Ok(())) => Ok(rustix::net::getpeername(fd).is_ok()),
        Ok(Err(errno)) | Err(errno) => Err(dial_fault(errno)),
    }
}

/// Sends the bytes that the kernel takes now.
#[inline]
pub(super) fn send(fd: &OwnedFd, bytes: &[u8]) -> Result<usize, Errno> {
    loop {
        match rustix::net::send(fd, bytes, SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
            Err(Errno::AGAIN) => return Ok(0),
            Err(Errno::INTR) => {}
            sent => return sent,
        }
    }
}

/// A socket for connections to that address.
pub(super) fn socket_to(to: &Address, from: Option<IpAddr>) -> Result<OwnedFd, Errno> {
    let fd = delaying_socket_to(to, from)?;
    if matches!(to, Address::Tcp(_)) {
        sockopt::set_tcp_nodelay(&fd, true)?;
    }
    Ok(fd)
}

/// The same, whose small sends wait while another is under way.
pub(super) fn delaying_socket_to(to: &Address, from: Option<IpAddr>) -> Result<OwnedFd, Errno> {
    let family = match to {
        Address::Tcp(SocketAddr::V4(_)) => AddressFamily::INET,
        Address::Tcp(SocketAddr::V6(_)) => AddressFamily::INET6,
        Address::Unix(_) => AddressFamily::UNIX,
    };
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let fd = rustix::net::socket_with(family, SocketType::STREAM, flags, None)?;
    if let (Address::Tcp(_), Some(from)) = (to, from) {
        choose_port_late(&fd)?;
        rustix::net::bind(&fd, &SocketAddr::new(from, 0))?;
    }
    Ok(fd)
}

/// True if connections can leave from that address.
pub fn is_local(address: IpAddr) -> bool {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    rustix::net::socket_with(family, SocketType::STREAM, SocketFlags::CLOEXEC, None)
        .and_then(|fd| rustix::net::bind(&fd, &SocketAddr::new(address, 0)))
        .is_ok()
}

/// Lets the kernel choose the local port when it knows the peer: else a port serves one peer only, and a
/// second address of the server would not bring more connections.
fn choose_port_late(fd: &OwnedFd) -> Result<(), Errno> {
    let on: libc::c_int = 1;
    // SAFETY: the option's value is an int that outlives the call, and its length is given.
    let result = unsafe {
        libc::setsockopt(
            fd.as_raw_fd(),
            libc::IPPROTO_IP,
            libc::IP_BIND_ADDRESS_NO_PORT,
            std::ptr::from_ref(&on).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        )
    };
    if result == 0 {
        Ok(())
    } else {
        Err(Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::INVAL))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_and_descriptors_that_ran_out_are_told_from_refusals() {
        assert_eq!(dial_fault(Errno::ADDRNOTAVAIL), DialFault::NoPort);
        for errno in [Errno::MFILE, Errno::NFILE, Errno::NOBUFS, Errno::NOMEM] {
            assert_eq!(dial_fault(errno), DialFault::NoDescriptor);
        }
        assert_eq!(dial_fault(Errno::CONNREFUSED), DialFault::Refused);
        assert_eq!(dial_fault(Errno::TIMEDOUT), DialFault::TimedOut);
        assert_eq!(dial_fault(Errno::CONNRESET), DialFault::Reset);
        assert_eq!(dial_fault(Errno::HOSTUNREACH), DialFault::Other);
    }
}
